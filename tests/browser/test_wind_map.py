"""The wind map, drawn without a graphics card and, because that is slow, without motion."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, ViewportSize, expect

from tests.browser.conftest import BARE_CHROMIUM, QUIET, chromium
from tests.browser.visits import Look, Visit, assert_good
from tests.browser.wind_demo import Demo, shown, wind_demo

DRAWING = [
    "--use-angle=swiftshader",
    "--enable-unsafe-swiftshader",
    "--ignore-gpu-blocklist",
]
PATIENT = 90_000
# Each point is drawn by the processor.
SMALLER: ViewportSize = {"width": 1100, "height": 640}


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    arguments = [*(one for one in QUIET if one != "--disable-gpu"), *DRAWING]
    with chromium(BARE_CHROMIUM, arguments) as browser:
        yield browser


@pytest.fixture(scope="module")
def demo(tmp_path_factory: pytest.TempPathFactory, wind_weather: Path) -> Iterator[Demo]:
    with wind_demo(tmp_path_factory.mktemp("wind"), wind_weather) as demo:
        yield demo


@pytest.fixture
def visit(visit: Visit) -> Visit:
    visit.still = True
    visit.wide = SMALLER
    return visit


def painted(page: Page, model: str, hour: int) -> None:
    """The picture of the hour has come and is on the map."""
    sign = page.locator(f".map[data-model={model}][data-hour='{hour}']")
    expect(sign).to_be_attached(timeout=PATIENT)


def test_slider_models_and_a_click(visit: Visit, demo: Demo) -> None:
    models = {model["id"]: model["hours"] for model in demo.get("map")["models"]}
    first = models["icon-eu"][6]["time"]
    page = visit(f"{demo.address}/map?lat=53.5&lon=9&z=6&model=icon-eu&hour={first}")
    painted(page, "icon-eu", first)
    slider = page.get_by_role("slider")
    expect(slider).to_have_value("6")
    slider.focus()
    page.keyboard.press("ArrowRight")
    second = models["icon-eu"][7]["time"]
    painted(page, "icon-eu", second)
    assert f"hour={second}" in page.url

    page.get_by_text("ICON-D2", exact=True).click()
    painted(page, "icon-d2", second)
    assert "model=icon-d2" in page.url

    area = page.locator(".canvas").bounding_box()
    assert area
    with page.expect_response("**/api/map/series*", timeout=PATIENT) as answer:
        page.mouse.click(area["x"] + area["width"] * 0.3, area["y"] + area["height"] * 0.4)
    for series in answer.value.json()["models"]:
        at = series["times"].index(second)
        row = page.locator(f"section tr[data-model={series['model']}]")
        expect(row.locator(".cell")).to_have_text(shown(series["wind"][at]))
    assert_good(page)
    page.keyboard.press("Escape")
    expect(page.locator("section tr")).to_have_count(0)


def test_a_phone_plays_the_hours(visit: Visit, demo: Demo) -> None:
    look = Look("de", "dark", phone=True)
    page = visit(f"{demo.address}/map?lat=53.5&lon=9&z=5&model=gfs", look)
    slider = page.get_by_role("slider")
    expect(slider).to_be_visible(timeout=PATIENT)
    before = slider.input_value()
    page.get_by_role("button", name="Abspielen").click()
    expect(slider).not_to_have_value(before, timeout=PATIENT)
    page.get_by_role("button", name="Anhalten").click()
    assert_good(page)
