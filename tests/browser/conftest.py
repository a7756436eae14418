"""Fixtures for what a person does in a browser.

`gallery`    address of the kit's gallery: every part of the UI without a server behind it
`serving`    starts one of the four services, fresh, with `MEDIA_TOKEN` set and no sync password
`set_sync_password`  does what the page of a fresh sync server asks for
`wind_weather`  the data of a wind demo, to be copied: made once in a run
`look`       one of the looks a page must hold: language, theme, width
`visit`      opens an address in a look; afterwards the console must have stayed clean
"""

import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect, sync_playwright

from tests.browser.gallery_server import gallery_server
from tests.browser.visits import LOOKS, Look, Visit
from tests.browser.wind_demo import weather_once
from tests.process import QUARTET, ROOT, environment, quartet_serve

CHROMIUM = "/usr/bin/chromium"
# The same without windows, extensions and messages on the screen: pages take half the work.
SHELL = "/usr/bin/chromium-headless-shell"
BARE_CHROMIUM = SHELL if Path(SHELL).exists() else CHROMIUM
# Several browsers and servers may share two cores.
expect.set_options(timeout=20_000)
QUIET = ["--no-sandbox", "--disable-gpu", "--disable-quic", "--disable-background-networking"]
MEDIA_TOKEN = "a token for the browser"


@contextmanager
def chromium(program: str, arguments: list[str]) -> Iterator[Browser]:
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=program, args=arguments)
        yield browser
        browser.close()


# Not for the whole run: while Playwright waits, the thread counts as inside its event loop, and
# no other test could start one.
@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with chromium(BARE_CHROMIUM, QUIET) as browser:
        yield browser


@pytest.fixture(params=LOOKS, ids=str)
def look(request: pytest.FixtureRequest) -> Look:
    assert isinstance(request.param, Look)
    return request.param


@pytest.fixture
def visit(browser: Browser) -> Iterator[Visit]:
    visit = Visit(browser)
    yield visit
    visit.close()
    assert visit.problems == []


@pytest.fixture(scope="session")
def gallery() -> Iterator[str]:
    npm = [sys.executable, str(ROOT / "scripts/npm.py")]
    subprocess.run([*npm, "run", "--silent", "gallery"], cwd=ROOT, check=True)
    with gallery_server(ROOT / "build/gallery") as address:
        yield address


@pytest.fixture(scope="session")
def wind_weather(tmp_path_factory: pytest.TempPathFactory) -> Path:
    base = tmp_path_factory.getbasetemp()
    # Each process of a run has a folder of its own in the folder of the run.
    return weather_once((base.parent if "PYTEST_XDIST_WORKER" in os.environ else base) / "weather")


Serving = Callable[[str], str]


@pytest.fixture
def serving(tmp_path: Path, visit: Visit) -> Iterator[Serving]:
    with ExitStack() as running:

        def serve(name: str) -> str:
            server = quartet_serve(tmp_path, services=(name,), APP_TOKEN=MEDIA_TOKEN)
            return running.enter_context(server).addresses[name]

        yield serve
        # An open page would complain about the server that goes away.
        visit.close()


@pytest.fixture
def set_sync_password(tmp_path: Path) -> Callable[[str], None]:
    def set_password(password: str) -> None:
        subprocess.run(
            [*QUARTET, "sync", "set-password", "--data", str(tmp_path / "data")],
            input=f"{password}\n",
            text=True,
            env=environment(),
            check=True,
        )

    return set_password
