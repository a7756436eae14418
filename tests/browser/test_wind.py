"""From a search to the numbers of a station and of a point."""

import time

import pytest
from playwright.sync_api import Page, expect

from tests.browser.visits import (
    GERMAN_PHONE,
    Visit,
    assert_accessible,
    assert_accessible_in_every_look,
)
from tests.browser.wind_demo import STATION, Demo, hours, shown

NO_WEBGL = """
    const real = HTMLCanvasElement.prototype.getContext;
    HTMLCanvasElement.prototype.getContext = function (kind, ...rest) {
        return kind.startsWith("webgl") ? null : real.call(this, kind, ...rest);
    };
"""
PHRASES = {
    "de": ("Vorhersage", "Windstatistik", "Treffsicherheit"),
    "en": ("Forecast", "Wind statistics", "Model accuracy"),
}


def cells(page: Page, model: str, row: int) -> list[str]:
    found = page.locator(f"tbody[data-model={model}] tr").nth(row).locator("td")
    return [text.strip() for text in found.all_inner_texts()]


def expect_parts(page: Page, language: str) -> None:
    headings = page.get_by_role("heading", level=2)
    for phrase in PHRASES[language]:
        expect(headings.filter(has_text=phrase).first).to_be_visible()


def expect_live_wind(page: Page, demo: Demo, factor: float = 1) -> None:
    """Wait until the page shows the last measurement; a new one may arrive in the meantime."""
    until = time.monotonic() + 60
    while True:
        latest = demo.get(f"stations/{STATION}/live")["latest"]
        try:
            expect(page.get_by_test_id("live-wind")).to_have_text(
                shown(latest["wind"], factor), timeout=5_000
            )
            return
        except AssertionError:
            assert time.monotonic() < until


def test_search_leads_to_numbers_of_station(visit: Visit, demo: Demo) -> None:
    page = visit(demo.address)
    page.get_by_role("combobox", name="Station, place").fill("eddh")
    expect(page.locator("main [role=option]").first).to_contain_text("Hamburg Airport")
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", level=1)).to_have_text("Hamburg Airport")
    assert page.url.endswith(f"/station/{STATION}")
    expect_parts(page, "en")

    expect_live_wind(page, demo)
    forecasts = demo.get(f"stations/{STATION}")["forecasts"]
    table = hours(forecasts, time.time())
    for series in forecasts:
        said = dict(
            zip(series["times"], zip(series["wind"], series["gust"], strict=True), strict=True)
        )
        rows = [cells(page, series["model"], row) for row in (0, 1)]
        for at, wind, gust in zip(table, *rows, strict=True):
            if at in said:
                assert (wind, gust) == (shown(said[at][0]), shown(said[at][1]))
            elif at < series["times"][-1]:
                # Hours between two steps are interpolated.
                assert wind

    page.get_by_label("Wind unit").select_option("kmh")
    expect_live_wind(page, demo, 1.852)
    page.reload()
    expect_live_wind(page, demo, 1.852)

    page.goto(demo.address)
    expect(page.get_by_role("link", name="Hamburg Airport")).to_be_visible()


@pytest.mark.nightly
def test_commands_find_stations(visit: Visit, demo: Demo) -> None:
    page = visit(f"{demo.address}/settings")
    page.keyboard.press("Control+k")
    page.get_by_role("combobox", name="Search or jump to").fill("frankfurt am main")
    expect(page.locator("dialog [role=option]").first).to_contain_text("EDDF")
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", level=1)).to_contain_text("Frankfurt am Main")


# The search above leads to the same table.
@pytest.mark.nightly
def test_coordinates_lead_to_point_with_selectable_models(visit: Visit, demo: Demo) -> None:
    page = visit(demo.address)
    page.get_by_role("combobox", name="Station, place").fill("54.18, 7.89")
    page.locator("main [role=option]").first.click()
    expect(page.get_by_role("heading", level=1)).to_have_text("54.18° N, 7.89° E")
    forecasts = demo.get("point?lat=54.18&lon=7.89")["forecasts"]
    start = hours(forecasts, time.time())[0]
    eu = next(series for series in forecasts if series["model"] == "icon-eu")
    at = eu["times"].index(start)
    expect(page.locator("tbody[data-model=icon-eu] td").first).to_have_text(shown(eu["wind"][at]))
    page.get_by_role("button", name="ICON-EU").click()
    expect(page.locator("tbody[data-model=icon-eu]")).to_have_count(0)
    assert "without=icon-eu" in page.url
    page.reload()
    expect(page.locator("tbody[data-model=icon-d2]")).to_be_visible()
    expect(page.locator("tbody[data-model=icon-eu]")).to_have_count(0)


@pytest.mark.nightly
def test_pages_are_accessible(visit: Visit, demo: Demo) -> None:
    page = visit(f"{demo.address}/station/{STATION}", GERMAN_PHONE)
    expect_parts(page, "de")
    expect(page.locator("canvas").first).to_be_visible()
    assert_accessible_in_every_look(page)
    for path, sign in (
        ("point?lat=53.5&lon=8.1", "tbody[data-model=all]"),
        ("?q=hamburg", "main [role=option]"),
        ("status", "tbody th"),
        ("settings", "fieldset"),
    ):
        page.goto(f"{demo.address}/{path}")
        expect(page.locator(sign).first).to_be_visible()
        assert_accessible_in_every_look(page)


def test_unknown_station_is_reported(visit: Visit, demo: Demo) -> None:
    visit.refusals_expected = True
    page = visit(f"{demo.address}/station/atlantis")
    expect(page.get_by_role("heading", name="Station not found")).to_be_visible()
    assert_accessible(page)


@pytest.mark.nightly
def test_map_without_webgl_links_to_table(visit: Visit, demo: Demo) -> None:
    page = visit(demo.address)
    page.add_init_script(NO_WEBGL)
    page.goto(f"{demo.address}/map?lat=54&lon=8")
    expect(page.get_by_text("This browser does not support WebGL")).to_be_visible()
    assert_accessible(page)
    page.get_by_role("link", name="Open table").click()
    expect(page.locator("tbody[data-model=icon-d2]")).to_be_visible()
