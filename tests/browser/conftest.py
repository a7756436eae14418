"""Fixtures of the browser tests.

`gallery`    address of the kit's gallery: every UI component, without a server
`serving`    starts one of the four services with an empty data folder and `MEDIA_TOKEN` set
`set_sync_password`  sets the first password of a sync server
`wind_weather`  data of a wind demo to copy, generated once per test run
`demo`       a wind demo shared by the tests that do not change it
`shared`     a download manager that several tests share; each finds it empty
`extension`  the extension as just installed, with an empty server
`service`      a download manager with a local test hoster
`look`       language, theme and width: German on a dark phone, at night every combination
`visit`      opens an address in a look and fails the test on console errors
"""

import fcntl
import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import pytest
from playwright.sync_api import Browser, BrowserContext, Playwright, expect, sync_playwright

from tests.browser.downloads_service import (
    DownloadsServer,
    DownloadsService,
    downloads_server,
    start_downloads,
)
from tests.browser.extension_service import Extension, extension_browser, extension_server
from tests.browser.gallery_server import gallery_server
from tests.browser.visits import LOOKS, Look, Visit
from tests.browser.wind_demo import Demo, weather_once, wind_demo
from tests.process import ROOT, quartet_serve
from tests.sync.processes import quartet

# Playwright's own build is used where the system has none, as on Ubuntu.
CHROMIUM = "/usr/bin/chromium" if Path("/usr/bin/chromium").exists() else None
# Chromium without its window code: pages need half the CPU time.
SHELL = "/usr/bin/chromium-headless-shell"
BARE_CHROMIUM = SHELL if Path(SHELL).exists() else CHROMIUM
# Several browsers and servers may share two cores.
expect.set_options(timeout=60_000)
QUIET = ["--no-sandbox", "--disable-gpu", "--disable-quic", "--disable-background-networking"]
MEDIA_TOKEN = "a token for the browser"


# Package scope: while Playwright is running, its thread has a running event loop, so async tests of
# other packages could not start theirs.
@pytest.fixture(scope="package")
def playwright() -> Iterator[Playwright]:
    with sync_playwright() as playwright:
        yield playwright


@contextmanager
def chromium(
    playwright: Playwright, program: str | None, arguments: list[str]
) -> Iterator[Browser]:
    browser = playwright.chromium.launch(executable_path=program, args=arguments)
    yield browser
    browser.close()


@pytest.fixture(scope="package")
def browser(playwright: Playwright) -> Iterator[Browser]:
    with chromium(playwright, BARE_CHROMIUM, QUIET) as browser:
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
def gallery(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    # Each worker builds its own, because a build first removes the files of the one before.
    built = tmp_path_factory.mktemp("gallery") / "built"
    npm = [sys.executable, str(ROOT / "scripts/npm.py")]
    (ROOT / "build").mkdir(exist_ok=True)
    with (ROOT / "build/gallery.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        subprocess.run([*npm, "run", "--silent", "gallery"], cwd=ROOT, check=True)
        shutil.copytree(ROOT / "build/gallery", built)
    with gallery_server(built) as address:
        yield address


@pytest.fixture(scope="session")
def wind_weather(tmp_path_factory: pytest.TempPathFactory) -> Path:
    base = tmp_path_factory.getbasetemp()
    # Each pytest-xdist worker has its own folder in the folder of the run.
    return weather_once((base.parent if "PYTEST_XDIST_WORKER" in os.environ else base) / "weather")


@pytest.fixture(scope="package")
def demo(tmp_path_factory: pytest.TempPathFactory, wind_weather: Path) -> Iterator[Demo]:
    folder = tmp_path_factory.mktemp("wind")
    # The push service of the tests runs on this machine.
    with wind_demo(folder, wind_weather, allow_private_addresses=True) as demo:
        yield demo


@pytest.fixture
def service(tmp_path: Path, visit: Visit) -> Iterator[DownloadsService]:
    with start_downloads(tmp_path, visit) as service:
        yield service


@pytest.fixture(scope="package")
def shared_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[DownloadsServer]:
    with downloads_server(tmp_path_factory.mktemp("shared")) as server:
        yield server


@pytest.fixture
def shared(
    shared_server: DownloadsServer, browser: Browser, visit: Visit
) -> Iterator[DownloadsService]:
    service = DownloadsService(*shared_server, visit)
    yield service
    visit.close()
    with browser.new_context() as context:
        assert service.sign_in(context.request).ok
        shared_server.empty(context.request)


@pytest.fixture(scope="package")
def extension_context(
    tmp_path_factory: pytest.TempPathFactory, playwright: Playwright
) -> Iterator[BrowserContext]:
    folder = tmp_path_factory.mktemp("browser")
    with extension_browser(playwright, folder, CHROMIUM, QUIET) as context:
        yield context


@pytest.fixture(scope="package")
def installed_extension(
    tmp_path_factory: pytest.TempPathFactory, extension_context: BrowserContext
) -> Iterator[Extension]:
    with extension_server(extension_context, tmp_path_factory.mktemp("extension")) as extension:
        yield extension


@pytest.fixture
def extension(installed_extension: Extension) -> Iterator[Extension]:
    yield installed_extension
    installed_extension.forget()


Serving = Callable[[str], str]


@pytest.fixture
def serving(tmp_path: Path, visit: Visit) -> Iterator[Serving]:
    with ExitStack() as running:

        def serve(name: str) -> str:
            server = quartet_serve(tmp_path, services=(name,), APP_TOKEN=MEDIA_TOKEN)
            return running.enter_context(server).addresses[name]

        yield serve
        # Close the page first: it would log an error when the server stops.
        visit.close()


@pytest.fixture
def set_sync_password(tmp_path: Path) -> Callable[[str], str]:
    command = ("sync", "set-password", "--data", str(tmp_path / "data"))
    return lambda password: quartet(*command, cwd=tmp_path, stdin=f"{password}\n")
