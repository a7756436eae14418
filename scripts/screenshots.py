"""Take screenshots of a demo that has run for one simulated hour: `make screenshots`.

The pages for the documentation are taken in light and dark at desktop size, and one page of each
service on a phone. The first page of each service is also taken in both languages, in light and
dark, on a phone and on a desktop; these pictures are only to be looked at. With all services, a
short animation shows them at work.
"""

import re
import shutil
import signal
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from io import BytesIO
from itertools import product
from pathlib import Path
from typing import Any, Literal

import animation
from animation import Frame, Scene
from PIL import Image
from playwright.sync_api import Browser, Page, StorageState, expect, sync_playwright
from tests.browser.conftest import CHROMIUM, QUIET
from tests.browser.visits import PHONE, SETTLE, WIDE
from tests.process import Process, serve_with

from quartet.services import NAMES

ROOT = Path(__file__).resolve().parent.parent
PICTURES = ROOT / "docs" / "pictures"
FIRST_PAGES = ROOT / "build" / "first-pages"
# The simulated hour passes in this time.
HOUR_SECONDS = 240
SIMULATED = [sys.executable, str(ROOT / "scripts" / "simulated_hour.py"), str(HOUR_SECONDS)]
SECONDS = 240
LARGEST_BYTES = 200_000
Theme = Literal["light", "dark"]
THEMES: tuple[Theme, ...] = ("light", "dark")
LANGUAGES = ("en", "de")
# Three small models are enough to show a comparison and load quickly.
WEATHER = {"WIND_MODELS": "icon-d2,icon-eu,gfs", "WIND_DEMO_SIZE": "small"}


@dataclass(frozen=True)
class Picture:
    service: str
    what: str
    path: str
    # Brings the page into the state to be shown.
    prepare: Callable[[Page], None] = lambda _page: None
    phone: bool = False


@dataclass(frozen=True)
class Demo:
    addresses: dict[str, str]
    passwords: dict[str, str]
    process: Process

    def sign_in(self, service: str, browser: Browser) -> StorageState:
        """Sign in, wait until the demo has data, and return the browser state."""
        context = browser.new_context(locale="en", base_url=self.addresses[service])
        password = self.passwords.get(service, "")
        if service == "downloads":
            body = {"user": "demo", "password": password}
            expect(context.request.post("/api/auth/login", data=body)).to_be_ok()
        elif service == "sync":
            expect(context.request.post("/api/login", data={"password": password})).to_be_ok()
        elif service == "wind":
            fill_in(context.new_page(), password)
        wait_until(
            lambda: IS_READY[service](lambda path: context.request.get(f"/api/{path}").json())
        )
        # The demo offers its tour until it was taken.
        page = context.new_page()
        page.goto("/")
        page.evaluate("localStorage.setItem('quartet.demo-tour-taken', 'yes')")
        storage_state = context.storage_state()
        context.close()
        return storage_state

    def pass_hour(self) -> None:
        self.process.send_signal(signal.SIGUSR1)
        time.sleep(HOUR_SECONDS)


def fill_in(page: Page, password: str) -> None:
    page.goto("/sign-in")
    page.get_by_label("E-mail").fill("demo@example.org")
    page.get_by_label("Password", exact=True).fill(password)
    page.get_by_role("button", name="Sign in", exact=True).click()
    expect(page.get_by_label("E-mail")).to_have_count(0)


def wait_until(check: Callable[[], bool]) -> None:
    deadline = time.monotonic() + SECONDS
    while not check():
        if time.monotonic() > deadline:
            sys.exit("the demo did not get its data in time")
        time.sleep(1)


def main() -> None:
    for folder in (PICTURES, FIRST_PAGES):
        folder.mkdir(parents=True, exist_ok=True)
    services = tuple(sys.argv[1:]) or NAMES
    with (
        new_folder(Path(tempfile.gettempdir()) / "quartet") as data,
        demo_in(data, services) as demo,
        sync_playwright() as playwright,
    ):
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=QUIET)
        frames: list[Frame] = []
        storage_states = {service: demo.sign_in(service, browser) for service in services}
        demo.pass_hour()
        for service, storage_state in storage_states.items():
            for picture in PAGES:
                if picture.service == service:
                    for theme in THEMES[:1] if picture.phone else THEMES:
                        name = f"{service}-{picture.what}-{theme}.webp"
                        take(demo, browser, storage_state, picture, theme, PICTURES / name)
            take_first_pages(demo, browser, storage_state, service)
            for scene in SCENES:
                if scene.service == service:
                    address = demo.addresses[service]
                    frames += animation.record(browser, address, storage_state, scene)
        browser.close()
    if services == NAMES:
        size = animation.save(frames, PICTURES / "quartet.webp")
        print(f"quartet.webp  {size // 1024} KiB", flush=True)


@contextmanager
def new_folder(path: Path) -> Iterator[Path]:
    """Make a folder whose name can be read, because some pages show paths below it."""
    path.mkdir()
    try:
        yield path
    finally:
        shutil.rmtree(path)


@contextmanager
def demo_in(folder: Path, services: tuple[str, ...]) -> Iterator[Demo]:
    with serve_with(SIMULATED)(folder, "--demo", services=services, **WEATHER) as running:
        found = re.findall(r"^  (\w+) .* password (\S+)", running.table, re.MULTILINE)
        yield Demo(running.addresses, dict(found), running.process)


def take_first_pages(
    demo: Demo, browser: Browser, storage_state: StorageState, service: str
) -> None:
    for phone, theme, language in product((False, True), THEMES, LANGUAGES):
        what = "phone" if phone else "desktop"
        target = FIRST_PAGES / f"{service}-{what}-{theme}-{language}.webp"
        picture = Picture(service, what, "/", phone=phone)
        take(demo, browser, storage_state, picture, theme, target, language)


def take(
    demo: Demo,
    browser: Browser,
    storage_state: StorageState,
    picture: Picture,
    theme: Theme,
    target: Path,
    language: str = "en",
) -> None:
    context = browser.new_context(
        storage_state=storage_state,
        locale=language,
        color_scheme=theme,
        viewport=PHONE if picture.phone else WIDE,
        has_touch=picture.phone,
        device_scale_factor=2 if picture.phone else 1,
    )
    page = context.new_page()
    page.goto(f"{demo.addresses[picture.service]}{picture.path}")
    expect(page.locator("main > *").first).to_be_visible()
    picture.prepare(page)
    # Live streams never end, so waiting for an idle network would never finish.
    page.wait_for_timeout(2500)
    page.evaluate(SETTLE)
    # The map takes long to draw on a busy machine.
    size = save(page.screenshot(timeout=SECONDS * 1000), target)
    context.close()
    print(f"{target.name}  {size // 1024} KiB", flush=True)


def save(png: bytes, path: Path) -> int:
    """Save with the best quality that fits the size limit."""
    with Image.open(BytesIO(png)) as image:
        for quality in (90, 80, 70, 60, 45):
            image.save(path, "WEBP", quality=quality, method=6)
            if path.stat().st_size <= LARGEST_BYTES:
                break
    return path.stat().st_size


def open_preview(page: Page) -> None:
    page.get_by_role("treeitem", name="Arrived").locator(".tick").click()
    page.get_by_role("button", name="Preview").click()
    row = page.get_by_role("row").filter(has_text="12 Angry Men 1957")
    expect(row.first).to_contain_text("12 Angry Men (1957).mkv", timeout=60_000)
    move = page.get_by_role("button", name=re.compile(r"Move \d+ files"))
    expect(move).to_be_visible(timeout=60_000)


def open_wall(page: Page) -> None:
    open_preview(page)
    page.get_by_text("Posters", exact=True).click()
    expect(page.locator(".wall > li").first).to_be_visible()


def open_conflict(page: Page) -> None:
    page.get_by_role("button", name="Compare").first.click()
    page.wait_for_timeout(1000)


def open_first_spot(page: Page) -> None:
    page.locator("main a[href*='/spots/']").first.click()
    page.wait_for_timeout(1500)


# Whether the demo of a service has its data, according to its API.
IS_READY: dict[str, Callable[[Callable[[str], Any]], bool]] = {
    "downloads": lambda get: len(get("captchas")) == 2 and get("stats")["speed"] > 0,
    "sync": lambda get: any(each["conflicts"] for each in get("overview")["folders"]),
    "media": lambda get: get("dashboard")["inbox"] >= 3,
    "wind": lambda get: (
        None not in get("health")["dataAge"].values() and bool(get("alarms/history")["entries"])
    ),
}

PAGES = (
    Picture("downloads", "queue", "/"),
    Picture("downloads", "grabber", "/grabber"),
    Picture("downloads", "captchas", "/captchas"),
    Picture("downloads", "phone", "/", phone=True),
    Picture("sync", "overview", "/"),
    Picture("sync", "sharing", "/sharing"),
    Picture("sync", "folder", "/folders/1"),
    Picture("sync", "conflict", "/folders/1", open_conflict),
    Picture("sync", "phone", "/", phone=True),
    Picture("media", "rename", "/rename", open_preview),
    Picture("media", "wall", "/rename", open_wall),
    Picture("media", "dashboard", "/"),
    Picture("media", "inbox", "/inbox"),
    Picture("media", "phone", "/inbox", phone=True),
    Picture("wind", "spots", "/spots"),
    Picture("wind", "spot", "/spots", open_first_spot),
    Picture("wind", "station", "/station/hamburg-airport-eddh"),
    Picture("wind", "map", "/map"),
    Picture("wind", "phone", "/spots", open_first_spot, phone=True),
)

SCENES = (
    Scene("downloads", "/", 4),
    Scene("sync", "/", 4),
    Scene("media", "/rename", 4, open_wall),
    Scene("wind", "/map", 5),
)


if __name__ == "__main__":
    main()
