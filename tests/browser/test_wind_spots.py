"""Spots, gear, alarms and messages, as somebody with an account sees them."""

import json
import re
import time
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from tests.browser.visits import Look, Visit, assert_good
from tests.browser.wind_demo import STATION, Demo, wind_demo
from tests.browser.wind_people import PASSWORD, named, sign_up_with_password

PATIENT = 20_000
SPOTS: list[dict[str, Any]] = [
    {"name": "Hamburg", "lat": 53.63, "lon": 9.99, "station": STATION},
    {"name": "Helgoland", "lat": 54.18, "lon": 7.89},
    {"name": "Ording", "lat": 54.3, "lon": 8.6, "directions": [{"from": 304, "to": 33}]},
]
ALARM: dict[str, Any] = {
    "enabled": True,
    "windMin": 5,
    "hours": {"from": 0, "to": 24},
    "weekdays": [1, 2, 3, 4, 5, 6, 7],
    "leadHours": 72,
    "minHours": 2,
    "channels": {"push": True, "email": False},
}
# A person's press; one that a page makes is not trusted to keep the worker awake.
PRESS = """async () => {
    const [notification] = await self.registration.getNotifications();
    const press = new NotificationEvent('notificationclick', { notification });
    press.waitUntil = () => undefined;
    self.dispatchEvent(press);
}"""
SHOWN = """async () => {
    const worker = await navigator.serviceWorker.ready;
    const shown = await worker.getNotifications();
    return shown.map(({ title, body, tag }) => ({ title, body, tag }));
}"""


@pytest.fixture(scope="module")
def demo(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Demo]:
    with wind_demo(tmp_path_factory.mktemp("wind")) as demo:
        yield demo


def rider(visit: Visit, demo: Demo, email: str, look: Look | None = None) -> Page:
    """Somebody with three spots, of which the first has an alarm, and two sails."""
    home = named(demo)
    page = visit(home, look)
    sign_up_with_password(page, home, email)
    made = [page.request.post(f"{home}/api/favorites", data=spot).json()["id"] for spot in SPOTS]
    assert page.request.put(f"{home}/api/alarms/{made[0]}", data=ALARM).ok
    sails = [{"kind": "sail", "name": name, "size": size, "unit": "m²"} for name, size in SAILS]
    assert page.request.put(f"{home}/api/gear", data={"items": sails}).ok
    return page


SAILS = [("Duke", 5.3), ("Freek", 7)]


def until(page: Page, true: Callable[[], bool]) -> None:
    """For what the browser does beside the page."""
    end = time.monotonic() + PATIENT / 1000
    while not true():
        assert time.monotonic() < end
        page.wait_for_timeout(50)


def names(page: Page) -> list[str]:
    return page.locator("article h2").all_inner_texts()


def test_a_spot_and_its_alarm_by_keyboard_alone(visit: Visit, demo: Demo) -> None:
    home = named(demo)
    page = visit(home)
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

    least = page.get_by_label("Least wind (kn)")
    least.focus()
    page.keyboard.press("Control+a")
    page.keyboard.type("8")
    most = page.get_by_label("Most wind (kn)")
    most.focus()
    page.keyboard.press("Control+a")
    page.keyboard.press("Delete")
    directions = page.get_by_role("combobox", name="Wind directions")
    directions.focus()
    page.keyboard.type("any")
    expect(page.get_by_text("from 8 kn from any direction")).to_be_visible()
    expect(page.get_by_test_id("preview-past")).to_be_visible()
    least.focus()
    page.keyboard.press("Enter")
    expect(page.get_by_text("The alarm is set.")).to_be_visible()

    alarm = page.request.get(f"{home}/api/alarms").json()["alarms"][0]
    assert alarm["windMin"] == 8 and "windMax" not in alarm and alarm["directions"] == []
    spot = page.request.get(f"{home}/api/favorites").json()["favorites"][0]
    assert spot["directions"] == [{"from": 304, "to": 11}] and spot["station"] == STATION
    page.goto(f"{home}/station/{STATION}")
    expect(page.get_by_role("link", name="In my spots")).to_be_visible(timeout=PATIENT)


def test_the_dashboard_and_its_order(visit: Visit, demo: Demo) -> None:
    home = named(demo)
    page = rider(visit, demo, "order@example.org")
    page.goto(f"{home}/spots")
    expect(page.locator("article")).to_have_count(3)
    expect(page.locator("article").first).to_contain_text("Alarm on")
    outlook = page.request.get(f"{home}/api/favorites/outlook").json()["spots"]
    for card, spot in zip(page.locator("article").all(), outlook, strict=True):
        expect(card.locator(".bar")).to_have_count(len(spot["hours"]["times"]))
        expect(card.locator(".hour.good")).to_have_count(sum(spot["hours"]["good"]))

    page.get_by_role("button", name="Move Ording").focus()
    page.keyboard.press("ArrowUp")
    expect(page.get_by_role("button", name="Move Ording")).to_be_focused()
    page.keyboard.press("ArrowUp")
    assert names(page) == ["Ording", "Hamburg", "Helgoland"]
    expect(page.get_by_text("Ording is at place 1 now.")).to_be_attached()

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


def test_gear_is_quick_to_type(visit: Visit, demo: Demo) -> None:
    home = named(demo)
    page = visit(home)
    sign_up_with_password(page, home, "gear@example.org")
    page.goto(f"{home}/gear")
    page.get_by_role("button", name="Add a piece").click()
    expect(page.get_by_label("Name", exact=True).first).to_be_focused()
    page.keyboard.type("Duke")
    page.keyboard.press("Tab")
    page.keyboard.type("5,3")
    # The rule of thumb stands where nothing was typed.
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

    until(page, lambda: len(items()) == 2)
    assert [(item["name"], item["size"], item.get("windMax")) for item in items()] == [
        ("Duke", 5.3, None),
        ("Freek", 7, 18),
    ]


def test_a_message_arrives_and_opens_its_spot(visit: Visit, demo: Demo) -> None:
    home = named(demo)
    page = rider(visit, demo, "push@example.org")
    page.context.grant_permissions(["notifications"], origin=home)
    page.evaluate("navigator.serviceWorker.ready.then(() => true)")
    spot = page.request.get(f"{home}/api/favorites").json()["favorites"][1]
    cdp = page.context.new_cdp_session(page)
    found: list[str] = []
    cdp.on(
        "ServiceWorker.workerRegistrationUpdated",
        lambda event: found.extend(one["registrationId"] for one in event["registrations"]),
    )
    cdp.send("ServiceWorker.enable")
    page.wait_for_function("navigator.serviceWorker.controller !== null")
    until(page, lambda: bool(found))
    message = {"title": "Helgoland", "body": "15-22 kn from W", "tag": "alarm-1"}
    data = json.dumps({**message, "url": f"/spots/{spot['id']}"})
    cdp.send(
        "ServiceWorker.deliverPushMessage",
        {"origin": home, "registrationId": found[-1], "data": data},
    )
    until(page, lambda: bool(page.evaluate(SHOWN) == [message]))
    page.context.service_workers[0].evaluate(PRESS)
    expect(page).to_have_url(f"{home}/spots/{spot['id']}")
    expect(page.get_by_role("heading", level=1)).to_have_text("Helgoland", timeout=PATIENT)
    until(page, lambda: bool(page.evaluate(SHOWN) == []))


def test_every_page_is_good_on_every_screen(visit: Visit, demo: Demo, look: Look) -> None:
    home = named(demo)
    page = rider(visit, demo, f"{look}@example.org", look)
    spots = page.request.get(f"{home}/api/favorites").json()["favorites"]
    for path in ("/spots", f"/spots/{spots[0]['id']}", "/gear", "/account"):
        page.goto(f"{home}{path}")
        page.wait_for_load_state("networkidle")
        assert_good(page)
    assert PASSWORD not in page.content()
