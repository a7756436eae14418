"""The wind map, drawn in software and therefore without animation."""

import time
from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Locator, Page, Playwright, ViewportSize, expect

from tests.browser.conftest import BARE_CHROMIUM, QUIET, chromium
from tests.browser.visits import GERMAN_PHONE, Visit, assert_accessible
from tests.browser.wind_demo import STATION, Demo, shown

# Only the map itself: everything around it is drawn as in the other tests.
DRAWING = [*QUIET, "--enable-unsafe-swiftshader"]
PATIENT = 90_000
# Software rendering draws every pixel on the CPU.
SMALLER: ViewportSize = {"width": 1100, "height": 640}


@pytest.fixture(scope="module")
def browser(playwright: Playwright) -> Iterator[Browser]:
    with chromium(playwright, BARE_CHROMIUM, DRAWING) as browser:
        yield browser


@pytest.fixture
def visit(visit: Visit) -> Visit:
    visit.still = True
    visit.wide = SMALLER
    return visit


# Makes the page believe that software rendering is fast.
AS_WITH_HARDWARE = """
    const real = HTMLCanvasElement.prototype.getContext;
    HTMLCanvasElement.prototype.getContext = function (kind, options) {
        return real.call(this, kind, { ...options, failIfMajorPerformanceCaveat: false });
    };
"""


def painted(page: Page, model: str, hour: int) -> None:
    """Wait until the texture of the hour is on the map."""
    sign = page.locator(f".map[data-model={model}][data-hour='{hour}']")
    expect(sign).to_be_attached(timeout=PATIENT)


def test_time_slider_models_and_click(visit: Visit, demo: Demo) -> None:
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
    assert_accessible(page)
    page.keyboard.press("Escape")
    expect(page.locator("section tr")).to_have_count(0)


@pytest.mark.nightly
def test_phone_plays_hours(visit: Visit, demo: Demo) -> None:
    page = visit(f"{demo.address}/map?lat=53.5&lon=9&z=5&model=icon-eu", GERMAN_PHONE)
    slider = page.get_by_role("slider")
    expect(slider).to_be_visible(timeout=PATIENT)
    before = slider.input_value()
    page.get_by_role("button", name="Abspielen").click()
    expect(slider).not_to_have_value(before, timeout=PATIENT)
    page.get_by_role("button", name="Pause").click()
    assert_accessible(page)


@pytest.mark.nightly
def test_gauge_and_searched_place(visit: Visit, demo: Demo) -> None:
    gauge = next(each for each in demo.get("map/gauges")["gauges"] if each["level"] is not None)
    view = f"lat={gauge['lat']}&lon={gauge['lon']}&z=9&model=icon-eu"
    page = visit(f"{demo.address}/map?{view}")
    expect(page.get_by_role("slider")).to_be_visible(timeout=PATIENT)
    page.get_by_role("button", name="Layers").click()
    page.get_by_role("switch", name="Measured wind").click()
    page.keyboard.press("Escape")
    card = page.get_by_role("region", name=f"Gauge {gauge['name']}")
    click_until(page, card)
    expect(card).to_contain_text(f"{gauge['level']:,.0f}")
    assert_accessible(page)

    page.keyboard.press("Escape")
    page.get_by_role("button", name="Search the map").click()
    page.get_by_role("combobox", name="Station, place").fill("eddh")
    page.get_by_role("option", name="Hamburg").first.click()
    station = demo.get(f"stations/{STATION}")["station"]
    expect(page.get_by_role("heading", name=station["name"])).to_be_visible(timeout=PATIENT)
    page.wait_for_url(f"**lat={station['lat']:.2f}*", timeout=PATIENT)


def click_until(page: Page, there: Locator) -> None:
    """Click the centre of the map as soon as markers are drawn there."""
    area = page.locator(".canvas").bounding_box()
    assert area
    until = time.monotonic() + PATIENT / 1000
    while not there.is_visible():
        assert time.monotonic() < until, "no sign on the map"
        page.keyboard.press("Escape")
        page.mouse.click(area["x"] + area["width"] / 2, area["y"] + area["height"] / 2)
        page.locator("section").first.wait_for()


@pytest.mark.nightly
def test_start_page_shows_the_current_wind_behind_the_search(visit: Visit, demo: Demo) -> None:
    page = visit(f"{demo.address}/status")
    page.add_init_script(AS_WITH_HARDWARE)
    with page.expect_response("**/api/map/*/*/*.png", timeout=PATIENT):
        page.goto(demo.address)
    expect(page.locator(".backdrop canvas")).to_be_visible(timeout=PATIENT)
    expect(page.get_by_role("combobox", name="Station, place")).to_be_focused()
    assert_accessible(page)
