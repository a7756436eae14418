"""Accounts: passkeys, passwords, data export and deletion."""

import json
from pathlib import Path

import pytest
from playwright.sync_api import Page, Route, expect

from tests.browser.visits import GERMAN_PHONE, Visit, assert_accessible_in_every_look
from tests.browser.wind_demo import Demo
from tests.browser.wind_user_data import wait_until
from tests.browser.wind_users import (
    NO_AUTOFILL,
    PASSWORD,
    Devices,
    choose_in_menu,
    localhost_address,
    sign_up_with_password,
)

pytestmark = pytest.mark.nightly

KEPT = "caches.open('wind-personal').then((cache) => cache.keys()).then((keys) => keys.length)"
KEPT_PAGE = (
    "caches.open('shell /').then((cache) => cache.keys())"
    ".then((keys) => keys.some(({ url }) => url.includes('/Verification')))"
)


def passkeys(page: Page) -> list[str]:
    return page.locator(".words .name").all_inner_texts()


def test_passkeys_are_added_renamed_and_removed(visit: Visit, demo: Demo) -> None:
    visit.refusals_expected = True
    home = localhost_address(demo)
    page = visit(f"{home}/sign-up")
    page.add_init_script(NO_AUTOFILL)
    page.reload()
    devices = Devices(page)
    laptop = devices.add()
    page.get_by_label("Name").fill("Ada Lovelace")
    page.get_by_role("button", name="Create account with a passkey").click()
    expect(page).to_have_url(f"{home}/spots")
    expect(page.get_by_role("heading", name="Your spots at a glance")).to_be_visible()

    choose_in_menu(page, "Sign out")
    expect(page).to_have_url(f"{home}/")
    choose_in_menu(page, "Sign in")
    page.get_by_role("button", name="Sign in with a passkey").click()
    expect(page).to_have_url(f"{home}/spots")

    page.goto(f"{home}/account")
    page.get_by_role("button", name="Add passkey").click()
    expect(page.get_by_text("This device already has a passkey for this account")).to_be_visible()
    key = devices.add("usb")
    page.get_by_role("button", name="Add passkey").click()
    page.get_by_role("button", name="Rename: Chrome on Linux 2").click()
    page.get_by_role("textbox", name="Passkey name").fill("The key on my ring")
    page.keyboard.press("Enter")
    expect(page.get_by_text("The key on my ring", exact=True)).to_be_visible()

    page.get_by_role("button", name="Remove: Chrome on Linux").click()
    page.get_by_role("button", name="Remove", exact=True).click()
    expect(page.get_by_role("button", name="Remove: Chrome on Linux")).to_have_count(0)
    assert passkeys(page) == ["The key on my ring"]
    page.get_by_role("button", name="Remove: The key on my ring").click()
    page.get_by_role("button", name="Remove", exact=True).click()
    expect(page.get_by_text("This is the only way to sign in")).to_be_visible()
    page.get_by_role("button", name="Cancel").click()

    page.get_by_role("button", name="Delete account").click()
    expect(page.get_by_role("dialog")).to_contain_text("all spots and their alerts")
    page.get_by_role("button", name="Delete permanently").click()
    expect(page.get_by_text("Your account and all its data were deleted")).to_be_visible()
    assert devices.count(laptop) == devices.count(key) == 1
    page.goto(f"{home}/sign-in")
    page.get_by_role("button", name="Sign in with a passkey").click()
    expect(page.get_by_role("alert")).to_contain_text("This passkey was not accepted")


def test_autofill_offers_passkeys(visit: Visit, demo: Demo) -> None:
    home = localhost_address(demo)
    page = visit(f"{home}/sign-up")
    Devices(page).add()
    page.get_by_label("Name").fill("Emmy Noether")
    page.get_by_role("button", name="Create account with a passkey").click()
    expect(page).to_have_url(f"{home}/spots")
    expect(page.get_by_role("heading", name="Your spots at a glance")).to_be_visible()
    choose_in_menu(page, "Sign out")
    expect(page).to_have_url(f"{home}/")
    choose_in_menu(page, "Sign in")
    expect(page).to_have_url(f"{home}/spots")


def test_password_change_signs_out_other_browsers(visit: Visit, demo: Demo) -> None:
    visit.refusals_expected = True
    home = localhost_address(demo)
    page = visit(f"{home}/sign-up")
    sign_up_with_password(page, home, "grace@example.org")
    with page.expect_response("**/api/me"):
        page.get_by_label("Wind unit").select_option("mph")
    other = visit(f"{home}/gear")
    expect(other.get_by_label("Wind unit")).to_have_value("kn")
    expect(other.get_by_role("heading", name="Sign in to use this")).to_be_visible()
    other.locator("input[name=email]").fill("grace@example.org")
    other.locator("input[name=password]").fill("a guess")
    other.keyboard.press("Enter")
    expect(other.get_by_role("alert")).to_contain_text("Sign-in failed")
    other.locator("input[name=password]").fill(PASSWORD)
    other.keyboard.press("Enter")
    expect(other.get_by_role("heading", name="Your gear")).to_be_visible()
    # The units are those of the account.
    expect(other.get_by_label("Wind unit")).to_have_value("mph")

    page.goto(f"{home}/account")
    devices = page.locator("li").filter(has_text="last used")
    expect(devices).to_have_count(2)
    expect(devices.first).to_contain_text("This browser")
    expect(devices.last).to_contain_text("127.0.0.1")
    page.get_by_role("button", name="Sign out other sessions").click()
    expect(devices).to_have_count(1)
    other.goto(f"{home}/account")
    expect(other.get_by_role("heading", name="Sign in to use this")).to_be_visible()

    page.get_by_role("button", name="Change password").click()
    page.get_by_label("Current password").fill("wrong")
    page.get_by_label("New password").fill("wind from the east")
    page.keyboard.press("Enter")
    expect(page.get_by_role("alert")).to_contain_text("The current password is incorrect")
    page.get_by_label("Current password").fill(PASSWORD)
    page.keyboard.press("Enter")
    expect(page.get_by_text("Password saved")).to_be_visible()


def test_account_data_is_exported(visit: Visit, demo: Demo, tmp_path: Path) -> None:
    home = localhost_address(demo)
    page = visit(f"{home}/sign-up")
    sign_up_with_password(page, home, "joan@example.org")
    page.goto(f"{home}/account")
    page.locator("input[name=name]").fill("Joan")
    page.get_by_label("Notification language").select_option("de")
    page.get_by_role("button", name="Save").click()
    expect(page.get_by_text("Saved.")).to_be_visible()
    with page.expect_download() as download:
        page.get_by_role("button", name="Download my data").click()
    file = tmp_path / "account.json"
    download.value.save_as(file)
    assert "joan@example.org" in json.dumps(json.loads(file.read_text()))


def test_account_page_sets_up_messages_calendar_and_recovery(visit: Visit, demo: Demo) -> None:
    visit.refusals_expected = True
    home = localhost_address(demo)
    page = visit(f"{home}/sign-up")
    page.add_init_script(NO_AUTOFILL)
    page.reload()
    Devices(page).add()
    page.get_by_label("Name").fill("Katherine")
    page.get_by_role("button", name="Create account with a passkey").click()
    expect(page).to_have_url(f"{home}/spots")
    page.goto(f"{home}/account")

    address = page.get_by_label("Address (Apprise URL)")
    address.fill("mailto://user:password@example.org")
    page.get_by_role("button", name="Add messenger").click()
    expect(page.get_by_role("alert")).to_contain_text("Not a valid notification URL")
    address.fill("ntfys://ntfy.sh/wind-topic-1234")
    page.get_by_role("button", name="Add messenger").click()
    expect(page.get_by_text("ntfys://…1234")).to_be_visible()

    page.get_by_text("Once a day").click()
    page.get_by_label("Time of day").select_option("7")
    expect(page.get_by_text("Saved.").first).to_be_visible()

    page.get_by_role("button", name="Create address").click()
    shown = page.get_by_text("/api/calendar/").first
    feed = page.request.get(shown.inner_text())
    assert feed.text().startswith("BEGIN:VCALENDAR")

    # As if the last check was long ago.
    page.route("**/api/me/recovery-codes", refuse_once)
    page.get_by_role("button", name="Create codes").click()
    page.get_by_role("dialog").get_by_role("button", name="Use passkey").click()
    expect(page.get_by_role("dialog", name="Recovery codes")).to_be_visible()
    page.get_by_role("button", name="Done").click()
    expect(page.get_by_text("Unused codes: 10")).to_be_visible()

    page.reload()
    expect(page.get_by_label("Time of day")).to_have_value("7")
    expect(page.get_by_text("ntfys://…1234")).to_be_visible()
    page.get_by_role("button", name="Revoke address").click()
    expect(page.get_by_role("button", name="Create address")).to_be_visible()
    assert page.request.get(feed.url).status == 404


def refuse_once(route: Route) -> None:
    body = {"code": "recent_check_required", "inputs": {"minutes": 10}}
    route.fulfill(status=403, json=body)
    route.request.frame.page.unroute("**/api/me/recovery-codes")


def test_offline_pages_show_cached_answers_until_sign_out(visit: Visit, demo: Demo) -> None:
    visit.refusals_expected = True
    home = localhost_address(demo)
    page = visit(f"{home}/sign-up")
    sign_up_with_password(page, home, "mary@example.org")
    page.evaluate("navigator.serviceWorker.ready")
    page.reload()
    expect(page.get_by_role("heading", name="Your spots at a glance")).to_be_visible()
    wait_until(page, lambda: bool(page.evaluate(KEPT_PAGE)))
    page.context.set_offline(True)
    page.reload()
    expect(page.get_by_role("heading", name="Your spots at a glance")).to_be_visible()
    expect(page.get_by_text("No connection. Showing data from")).to_be_visible()
    # Pages that were never visited work as well.
    page.goto(f"{home}/verification")
    expect(page.get_by_role("heading", level=1)).to_be_visible()
    page.goto(f"{home}/settings")
    expect(page.get_by_role("heading", level=1)).to_be_visible()
    expect(page.get_by_text("No connection.")).to_be_visible()
    # The page shows no data.
    expect(page.get_by_text("Showing data from")).to_have_count(0)
    page.goto(f"{home}/spots")
    expect(page.get_by_text("No connection. Showing data from")).to_be_visible()
    page.context.set_offline(False)
    expect(page.get_by_text("No connection.")).to_have_count(0)
    expect(page.get_by_text("Showing data from")).to_have_count(0)
    assert page.evaluate(KEPT) > 0
    choose_in_menu(page, "Sign out")
    expect(page.get_by_text("Your account data was removed from this browser")).to_be_visible()
    assert page.evaluate(KEPT) == 0


def test_sign_in_pages_are_accessible(visit: Visit, demo: Demo) -> None:
    page = visit(localhost_address(demo), GERMAN_PHONE)
    for path in ("sign-in", "sign-up", "confirm?token=x", "recovery", "spots"):
        page.goto(f"{localhost_address(demo)}/{path}")
        expect(page.locator("main form").first).to_be_visible()
        assert_accessible_in_every_look(page)
    # Without mail no form is shown, because it could not succeed.
    page.goto(f"{localhost_address(demo)}/forgot")
    expect(page.get_by_text("kann keine E-Mails senden")).to_be_visible()
    assert page.locator("main form").count() == 0
    assert_accessible_in_every_look(page)
    # Neither is one for an invalid link.
    visit.refusals_expected = True
    page.goto(f"{localhost_address(demo)}/reset?token=x")
    expect(page.get_by_text("Dieser Link")).to_be_visible()
    assert page.locator("main form").count() == 0
    assert_accessible_in_every_look(page)


def test_session_survives_cleared_storage(visit: Visit, demo: Demo) -> None:
    """Safari deletes what scripts have stored after seven days, but not the session cookie."""
    home = localhost_address(demo)
    page = visit(f"{home}/sign-up")
    sign_up_with_password(page, home, "hedy@example.org")
    page.evaluate("localStorage.clear()")
    with page.expect_response("**/api/me") as answer:
        page.reload()
    assert answer.value.status == 200
    expect(page.get_by_role("heading", name="Your spots at a glance")).to_be_visible()


def test_public_pages_are_accessible(visit: Visit, demo: Demo) -> None:
    page = visit(f"{localhost_address(demo)}/attribution", GERMAN_PHONE)
    for source in ("Deutscher Wetterdienst", "ECMWF", "NOAA", "GeoNames", "Natural Earth"):
        expect(page.get_by_role("link", name=source)).to_be_visible()
    assert_accessible_in_every_look(page)
    page.goto(f"{localhost_address(demo)}/unsubscribe?token=1-1-forged")
    visit.refusals_expected = True
    page.locator("main form button").click()
    expect(page.get_by_role("alert")).to_be_visible()
    assert_accessible_in_every_look(page)
