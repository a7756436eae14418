"""Record the services at work as an animated picture for the README."""

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path

from PIL import Image
from playwright.sync_api import Browser, Page, StorageState, ViewportSize, expect

VIEW: ViewportSize = {"width": 1120, "height": 700}
# The picture is scaled down to this width.
WIDTH = 840
LARGEST_BYTES = 3_000_000
FRAME_SECONDS = 0.2


@dataclass(frozen=True)
class Scene:
    """Some seconds of a page, after `prepare` has brought it into the state to be shown."""

    service: str
    path: str
    seconds: float
    prepare: Callable[[Page], None] = lambda _page: None


@dataclass(frozen=True)
class Frame:
    image: Image.Image
    milliseconds: int


def record(browser: Browser, address: str, state: StorageState, scene: Scene) -> list[Frame]:
    context = browser.new_context(
        storage_state=state, locale="en", color_scheme="dark", viewport=VIEW
    )
    page = context.new_page()
    page.goto(f"{address}{scene.path}")
    expect(page.locator("main > *").first).to_be_visible()
    scene.prepare(page)
    page.wait_for_timeout(2000)
    frames = list(_frames(page, scene.seconds))
    context.close()
    return frames


def _frames(page: Page, seconds: float) -> Iterator[Frame]:
    """Yield frames with the time each was visible, because a screenshot takes a while itself."""
    end = time.monotonic() + seconds
    while (begun := time.monotonic()) < end:
        with Image.open(BytesIO(page.screenshot())) as image:
            height = round(image.height * WIDTH / image.width)
            scaled = image.convert("RGB").resize((WIDTH, height), Image.Resampling.LANCZOS)
        page.wait_for_timeout(max(0.0, FRAME_SECONDS - (time.monotonic() - begun)) * 1000)
        yield Frame(scaled, round((time.monotonic() - begun) * 1000))


def save(frames: list[Frame], path: Path) -> int:
    """Save with the best quality that fits the size limit; return the size."""
    first, *others = (frame.image for frame in frames)
    for quality in (70, 55, 40, 25):
        first.save(
            path,
            "WEBP",
            save_all=True,
            append_images=others,
            duration=[frame.milliseconds for frame in frames],
            loop=0,
            quality=quality,
            method=4,
        )
        if path.stat().st_size <= LARGEST_BYTES:
            break
    return path.stat().st_size
