"""E-mails, from the page that requests one to the page its link opens."""

from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest
from playwright.sync_api import Page, Route, expect

from tests.browser.visits import Look, Visit
from tests.browser.wind_demo import Demo, wind_demo
from tests.browser.wind_mailbox import BrowserMailbox, link_in, start_mailbox
from tests.browser.wind_user_data import ALARM, SPOTS
from tests.browser.wind_users import PASSWORD, Devices, localhost_address
from tests.wind.mailbox import text_of

pytestmark = pytest.mark.nightly

NEW_PASSWORD = "wind from the north"


class Words(NamedTuple):
    confirm: str
    reset: str
    confirmed: str
    add: str
    sign_out: str
    no_more: str
    stopped: str
    by_mail: str


WORDS = {
    "en": Words(
        confirm="Confirm your address",
        reset="Choose a new password",
        confirmed="Confirmed",
        add="Add",
        sign_out="Sign out",
        no_more="No more mails about Helgoland:",
        stopped="You will no longer get e-mails for this alert.",
        by_mail="E-mail",
    ),
    "de": Words(
        confirm="Adresse bestätigen",
        reset="Neues Passwort wählen",
        confirmed="Bestätigt",
        add="Hinzufügen",
        sign_out="Abmelden",
        no_more="Keine Mails mehr zu Helgoland:",
        stopped="E-Mails zu diesem Alarm abbestellt.",
        by_mail="E-Mail",
    ),
}


@pytest.fixture(scope="module")
def mailbox() -> Iterator[BrowserMailbox]:
    with start_mailbox() as mailbox:
        yield mailbox


@pytest.fixture(scope="module")
def demo(
    tmp_path_factory: pytest.TempPathFactory, wind_weather: Path, mailbox: BrowserMailbox
) -> Iterator[Demo]:
    folder = tmp_path_factory.mktemp("wind")
    with wind_demo(folder, wind_weather, models="icon-eu", **mailbox.settings) as demo:
        yield demo


def press(page: Page) -> None:
    """Press the only submit button of the page."""
    page.locator("main form button[type=submit]").first.click()


def confirm(page: Page, mailbox: BrowserMailbox, address: str, words: Words) -> None:
    """Open the link in the confirmation e-mail that was just sent."""
    expect(page.get_by_text(address)).to_be_visible()
    mail = mailbox.next_to(address)
    assert mail["Subject"] == words.confirm
    page.goto(link_in(mail, "confirm"))
    press(page)


def sign_up_with_address(page: Page, home: str, address: str, words: Words) -> None:
    """Sign up with a passkey, then add the e-mail address."""
    Devices(page).add()
    page.locator("input[name=name]").fill("Emmy")
    page.locator("main button[type=submit]").first.click()
    expect(page).to_have_url(f"{home}/spots")
    page.goto(f"{home}/account")
    page.get_by_role("button", name=words.add, exact=True).click()
    page.locator("input[name=email]").fill(address)
    page.keyboard.press("Enter")
    expect(page.get_by_text(address)).to_be_visible()


def test_account_is_confirmed_by_mail_and_password_is_reset(
    visit: Visit, demo: Demo, mailbox: BrowserMailbox, look: Look
) -> None:
    visit.refusals_expected = True
    home, words, address = localhost_address(demo), WORDS[look.language], f"door-{look}@example.org"
    page = visit(f"{home}/sign-up", look)
    page.locator("input[name=name]").fill("Ada")
    page.locator("input[name=email]").fill(address)
    page.locator("input[name=password]").fill(PASSWORD)
    page.keyboard.press("Enter")
    confirm(page, mailbox, address, words)
    expect(page).to_have_url(f"{home}/spots")

    page.goto(f"{home}/account")
    page.locator("main").get_by_role("button", name=words.sign_out, exact=True).click()
    expect(page).to_have_url(f"{home}/")
    page.goto(f"{home}/sign-in")
    page.locator("a[href$='/forgot']").click()
    page.locator("input[name=email]").fill(address)
    press(page)
    expect(page.locator("main")).to_contain_text(address)
    mail = mailbox.next_to(address)
    assert mail["Subject"] == words.reset
    link = link_in(mail, "reset")
    page.goto(link)
    page.locator("input[name=password]").fill(NEW_PASSWORD)
    press(page)
    expect(page).to_have_url(f"{home}/spots")

    other = visit(f"{home}/sign-in", look)
    other.locator("input[name=email]").fill(address)
    other.locator("input[name=password]").fill(PASSWORD)
    other.keyboard.press("Enter")
    expect(other.get_by_role("alert")).to_be_visible()
    other.locator("input[name=password]").fill(NEW_PASSWORD)
    other.keyboard.press("Enter")
    expect(other).to_have_url(f"{home}/spots")
    # A link works only once.
    other.goto(link)
    expect(other.get_by_role("alert")).to_be_visible()
    expect(other.locator("input[name=password]")).to_have_count(0)


def test_address_is_confirmed_without_session(
    visit: Visit, demo: Demo, mailbox: BrowserMailbox
) -> None:
    home, words, address = localhost_address(demo), WORDS["en"], "early@example.org"
    page = visit(f"{home}/sign-up")
    sign_up_with_address(page, home, address, words)

    def answer_late(route: Route) -> None:
        answer = route.fetch()
        with page.expect_response("**/api/auth/confirm"):
            press(page)
        route.fulfill(response=answer)

    page.context.route("**/api/me", answer_late, times=1)
    page.goto(link_in(mailbox.next_to(address), "confirm"))
    expect(page).to_have_url(f"{home}/account")
    expect(page.get_by_text(words.confirmed, exact=True)).to_be_visible()


def test_alert_mail_is_sent_and_unsubscribed(
    visit: Visit, demo: Demo, mailbox: BrowserMailbox, look: Look
) -> None:
    home, words, address = (
        localhost_address(demo),
        WORDS[look.language],
        f"alarm-{look}@example.org",
    )
    page = visit(f"{home}/sign-up", look)
    sign_up_with_address(page, home, address, words)
    confirm(page, mailbox, address, words)
    expect(page).to_have_url(f"{home}/account")
    expect(page.get_by_text(words.confirmed, exact=True)).to_be_visible()

    spot = page.request.post(f"{home}/api/favorites", data=SPOTS[1]).json()["id"]
    alarm = {**ALARM, "channels": {"push": False, "email": True}}
    assert page.request.put(f"{home}/api/alarms/{spot}", data=alarm).ok
    mail = mailbox.next_to(address)
    assert words.no_more in text_of(mail) and f"{home}/spots/{spot}" in text_of(mail)
    assert mail["List-Unsubscribe-Post"] == "List-Unsubscribe=One-Click"

    # The link must work without a session.
    reader = visit(link_in(mail, "unsubscribe"), look)
    press(reader)
    expect(reader.get_by_text(words.stopped, exact=True)).to_be_visible()
    page.goto(f"{home}/spots/{spot}")
    expect(page.get_by_role("switch", name=words.by_mail)).not_to_be_checked()
    (kept,) = page.request.get(f"{home}/api/alarms").json()["alarms"]
    assert kept["enabled"] and not kept["channels"]["email"]
