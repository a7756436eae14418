"""Spots, gear, alerts and notifications of a signed-in user."""

import re
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from tests.browser.visits import GERMAN_PHONE, Visit, assert_accessible_in_every_look
from tests.browser.wind_demo import STATION, Demo
from tests.browser.wind_user_data import ALARM, sign_up_with_spots, wait_until
from tests.browser.wind_users import PASSWORD, localhost_address, sign_up_with_password


def names(page: Page) -> list[str]:
    return page.locator("article h2").all_inner_texts()


@pytest.mark.nightly
def test_spot_and_alert_with_keyboard_only(visit: Visit, demo: Demo) -> None:
    home = localhost_address(demo)
    page = visit(f"{home}/sign-up")
    sign_up_with_password(page, home, "keys@example.org")
    page.goto(home)
    expect(page.get_by_role("combobox", name="Station, place")).to_be_focused()
    page.keyboard.type("eddh")
    expect(page.locator("main [role=option]").first).to_contain_text("Hamburg Airport")
    page.keyboard.press("Enter")
    page.get_by_role("button", name="Add to my spots").focus()
    page.keyboard.press("Enter")
    expect(page).to_have_url(re.compile(r"/spots/\d+$"))
    expect(page.get_by_role("heading", level=1)).to_have_text("Hamburg Airport")

    page.get_by_role("checkbox", name="N", exact=True).focus()
    page.keyboard.press("Space")
    page.keyboard.press("ArrowLeft")
    page.keyboard.press("Space")
    page.keyboard.press("ArrowLeft")
    page.keyboard.press("Space")
    expect(page.get_by_text(re.compile("^NW.N$"))).to_be_visible()
    page.locator("input[name=name]").focus()
    page.keyboard.press("Enter")
    expect(page.get_by_label("Wind directions").locator("option").first).to_contain_text(
        re.compile("NW.N")
    )

    least = page.get_by_label("Minimum wind (kn)")
    least.focus()
    page.keyboard.press("Control+a")
    page.keyboard.type("8")
    most = page.get_by_label("Maximum wind (kn)")
    most.focus()
    page.keyboard.press("Control+a")
    page.keyboard.press("Delete")
    directions = page.get_by_role("combobox", name="Wind directions")
    directions.focus()
    page.keyboard.type("any")
    expect(page.get_by_text("8 kn or more from any direction")).to_be_visible()
    expect(page.get_by_test_id("preview-past")).to_be_visible()
    least.focus()
    page.keyboard.press("Enter")
    expect(page.get_by_text("Alert saved.")).to_be_visible()

    alarm = page.request.get(f"{home}/api/alarms").json()["alarms"][0]
    assert alarm["windMin"] == 8 and "windMax" not in alarm and alarm["directions"] == []
    spot = page.request.get(f"{home}/api/favorites").json()["favorites"][0]
    assert spot["directions"] == [{"from": 304, "to": 11}] and spot["station"] == STATION
    page.goto(f"{home}/station/{STATION}")
    expect(page.get_by_role("link", name="In my spots")).to_be_visible()


@pytest.mark.nightly
def test_dashboard_order(visit: Visit, demo: Demo) -> None:
    home = localhost_address(demo)
    page = sign_up_with_spots(visit, demo, "order@example.org")
    page.goto(f"{home}/spots")
    expect(page.locator("article")).to_have_count(3)
    expect(page.locator("article").first).to_contain_text("Alert on")
    outlook = page.request.get(f"{home}/api/favorites/outlook").json()["spots"]
    for card, spot in zip(page.locator("article").all(), outlook, strict=True):
        expect(card.locator(".bar")).to_have_count(len(spot["hours"]["times"]))
        expect(card.locator(".hour.good")).to_have_count(sum(spot["hours"]["good"]))

    page.get_by_role("button", name="Move Ording").focus()
    page.keyboard.press("ArrowUp")
    expect(page.get_by_role("button", name="Move Ording")).to_be_focused()
    page.keyboard.press("ArrowUp")
    assert names(page) == ["Ording", "Hamburg", "Helgoland"]
    expect(page.get_by_text("Ording moved to position 1.")).to_be_attached()

    grip = page.get_by_role("button", name="Move Ording").bounding_box()
    target = page.locator("article").nth(2).bounding_box()
    assert grip and target
    page.mouse.move(grip["x"] + 5, grip["y"] + 5)
    page.mouse.down()
    page.mouse.move(target["x"] + 50, target["y"] + 50, steps=5)
    with page.expect_response("**/api/favorites/order"):
        page.mouse.up()
    assert names(page) == ["Hamburg", "Helgoland", "Ording"]
    page.reload()
    expect(page.locator("article").last).to_contain_text("Ording")


@pytest.mark.nightly
def test_station_of_spot_is_changed(visit: Visit, demo: Demo) -> None:
    home = localhost_address(demo)
    page = sign_up_with_spots(visit, demo, "station@example.org")
    spot = page.request.get(f"{home}/api/favorites").json()["favorites"][2]
    address = f"{home}/api/favorites/outlook"

    def shown_station() -> str:
        return str(page.request.get(address).json()["spots"][2]["now"]["station"])

    nearest = shown_station()
    page.goto(f"{home}/spots/{spot['id']}")
    page.get_by_role("button", name="Choose another station").click()
    stations = page.get_by_label("Station", exact=True)
    expect(stations.locator("option").first).to_have_text("Nearest station")
    offered = stations.locator("option").all()
    assert len(offered) > 2
    slugs = [one.get_attribute("value") for one in offered[1:]]
    assert slugs[0] == nearest
    stations.select_option(slugs[1])
    form = page.locator("form").filter(has=stations)
    form.get_by_role("button", name="Save").click()
    expect(page.locator("a.now")).to_have_attribute("href", re.compile(f"/station/{slugs[1]}$"))
    assert shown_station() == slugs[1]
    # The forecast is still the one of the spot.
    expect(page.get_by_role("link", name="Full forecast")).to_have_attribute(
        "href", re.compile(r"/point\?lat=54\.30")
    )
    stations.select_option("")
    form.get_by_role("button", name="Save").click()
    expect(page.locator("a.now")).to_have_attribute("href", re.compile(f"/station/{nearest}$"))
    assert shown_station() == nearest


@pytest.mark.nightly
def test_gear_is_entered_with_keyboard(visit: Visit, demo: Demo) -> None:
    home = localhost_address(demo)
    page = visit(f"{home}/sign-up")
    sign_up_with_password(page, home, "gear@example.org")
    page.goto(f"{home}/gear")
    page.get_by_role("button", name="Add item").click()
    expect(page.get_by_label("Name", exact=True).first).to_be_focused()
    page.keyboard.type("Duke")
    page.keyboard.press("Tab")
    page.keyboard.type("5,3")
    # The rule of thumb is shown where nothing was entered.
    expect(page.get_by_label("Wind from (kn)")).to_have_attribute("placeholder", "16")
    page.keyboard.press("Enter")
    expect(page.get_by_label("Name", exact=True).nth(1)).to_be_focused()
    page.keyboard.type("Freek")
    page.keyboard.press("Tab")
    page.keyboard.type("7")
    page.get_by_label("Wind to (kn)").last.fill("18")
    page.keyboard.press("Control+Enter")

    def items() -> list[dict[str, Any]]:
        return list(page.request.get(f"{home}/api/gear").json()["items"])

    wait_until(page, lambda: len(items()) == 2)
    assert [(item["name"], item["size"], item.get("windMax")) for item in items()] == [
        ("Duke", 5.3, None),
        ("Freek", 7, 18),
    ]


@pytest.mark.nightly
def test_every_page_is_accessible_in_every_look(visit: Visit, demo: Demo) -> None:
    home = localhost_address(demo)
    page = sign_up_with_spots(visit, demo, "pages@example.org", GERMAN_PHONE)
    spots = page.request.get(f"{home}/api/favorites").json()["favorites"]
    for path in ("/spots", f"/spots/{spots[0]['id']}", "/gear", "/account"):
        page.goto(f"{home}{path}")
        page.wait_for_load_state("networkidle")
        assert_accessible_in_every_look(page)
    assert PASSWORD not in page.content()


def test_session_strip_and_alert_state_the_same_windows(visit: Visit, demo: Demo) -> None:
    page = sign_up_with_spots(visit, demo, "session@example.org", GERMAN_PHONE)
    home = localhost_address(demo)
    outlook = page.request.get(f"{home}/api/favorites/outlook").json()["spots"][0]
    spot, alarm = outlook["favorite"]["id"], page.request.get(f"{home}/api/alarms").json()
    change = {key: each for key, each in alarm["alarms"][0].items() if key in ALARM}
    asked = {"favorite": spot, "alarm": change}
    preview = page.request.post(f"{home}/api/alarms/preview", data=asked).json()
    windows = [(each["from"], each["to"]) for each in outlook["windows"]]
    assert windows and windows == [(each["start"], each["end"]) for each in preview["windows"]]
    page.goto(f"{home}/spots/{spot}")
    expect(page.get_by_role("heading", name="Die nächsten Tage")).to_be_visible()
    shown = page.locator("li p.window")
    expect(shown.first).to_be_visible()
    rows = shown.all()
    pairs = {(each.get_attribute("data-from"), each.get_attribute("data-to")) for each in rows}
    # A window of several days is shown on each of them.
    assert pairs == {(str(start), str(end)) for start, end in windows}
    # The strip of ten days marks the same hours.
    strip = page.locator("ol.ten li")
    expect(strip).to_have_count(len(outlook["days"]))
    for number, day in enumerate(outlook["days"]):
        expect(strip.nth(number).locator(".hour.good")).to_have_count(sum(day["good"]))
    # The best day is the first one, so that it has a window.
    first = page.locator("li:has(p.light)").first
    expect(first.locator("p.window").first).to_be_visible()
