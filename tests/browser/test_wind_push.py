"""Push notifications, from the switch to the spot they are about."""

from collections.abc import Iterator

import pytest
from anyio.from_thread import start_blocking_portal
from playwright.sync_api import Browser as Chromium
from playwright.sync_api import Page, Playwright, expect

from tests.browser.conftest import CHROMIUM, QUIET, chromium
from tests.browser.visits import Visit
from tests.browser.wind_demo import Demo
from tests.browser.wind_push import Notifications
from tests.browser.wind_user_data import sign_up_with_spots, wait_until
from tests.browser.wind_users import choose_in_menu, localhost_address
from tests.push_service import Browser, PushService, push_service

pytestmark = pytest.mark.nightly


@pytest.fixture(scope="module")
def browser(playwright: Playwright) -> Iterator[Chromium]:
    # The headless shell shows no notifications.
    with chromium(playwright, CHROMIUM, QUIET) as browser:
        yield browser


@pytest.fixture(scope="module")
def service() -> Iterator[PushService]:
    # In its own thread: it has to answer while a test waits for the page.
    with (
        start_blocking_portal() as portal,
        portal.wrap_async_context_manager(push_service()) as service,
    ):
        yield service


def subscribed(page: Page, home: str) -> int:
    count: int = page.request.get(f"{home}/api/push").json()["subscriptions"]
    return count


def turn(page: Page, on: bool) -> None:
    switch = page.get_by_role("switch", name="Show notifications")
    with page.expect_response("**/api/push/subscriptions"):
        switch.click()
    expect(switch).to_be_enabled()
    expect(switch).to_be_checked(checked=on)


def with_messages(page: Page, home: str, browser: Browser) -> Notifications:
    """Turn notifications on and check that the server knows it."""
    screen = Notifications(page, home)
    screen.subscribe_at(browser)
    page.goto(f"{home}/account")
    turn(page, on=True)
    assert subscribed(page, home) == 1
    return screen


def test_alert_arrives_and_opens_its_spot(visit: Visit, demo: Demo, service: PushService) -> None:
    home, phone = localhost_address(demo), service.browser("phone")
    page = sign_up_with_spots(visit, demo, "phone@example.org")
    screen = with_messages(page, home, phone)
    page.reload()
    expect(page.get_by_role("switch", name="Show notifications")).to_be_checked()

    spots = page.request.get(f"{home}/api/favorites").json()["favorites"]
    page.goto(f"{home}/spots/{spots[0]['id']}")
    page.get_by_role("button", name="Send test message").click()
    expect(page.get_by_text("Browser notification: sent")).to_be_visible()
    wait_until(page, lambda: any(one.payload["tag"] == "test" for one in phone.received))
    assert {one.sender for one in phone.received} == {screen.sender}

    # An alert for any wind has a window as soon as it is saved, but at night it would wait until
    # the morning.
    page.goto(f"{home}/spots/{spots[1]['id']}")
    page.get_by_label("Minimum wind (kn)").fill("3")
    page.get_by_label("Maximum wind (kn)").fill("")
    page.get_by_text("More conditions").click()
    page.get_by_role("switch", name="Quiet hours").click()
    page.get_by_role("button", name="Set alert").click()
    expect(page.get_by_text("Alert saved.")).to_be_visible()
    page.goto(f"{home}/gear")
    about = f"/spots/{spots[1]['id']}"
    wait_until(page, lambda: any(one.payload["url"] == about for one in phone.received))
    message = next(one.payload for one in phone.received if one.payload["url"] == about)
    assert message["title"] == "Helgoland" and "kn from" in message["body"]
    screen.deliver(message)
    screen.wait_for(message)
    screen.press()
    expect(page).to_have_url(home + about)
    expect(page.get_by_role("heading", level=1)).to_have_text("Helgoland")
    screen.wait_for()


def test_subscription_is_removed_from_server_when_turned_off(
    visit: Visit, demo: Demo, service: PushService
) -> None:
    home, laptop = localhost_address(demo), service.browser("laptop")
    page = sign_up_with_spots(visit, demo, "laptop@example.org")
    screen = with_messages(page, home, laptop)
    turn(page, on=False)
    assert subscribed(page, home) == 0 and screen.sender is None

    turn(page, on=True)
    page.get_by_role("button", name="Turn off in all browsers").click()
    expect(page.get_by_role("switch", name="Show notifications")).not_to_be_checked()
    assert subscribed(page, home) == 0

    # After signing out, this browser must not receive notifications of the account.
    turn(page, on=True)
    choose_in_menu(page, "Sign out")
    expect(page).to_have_url(f"{home}/")
    assert screen.sender is None
