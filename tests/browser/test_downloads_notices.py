"""Notification recipients of downloads: add, test, filter, and keep their addresses secret."""

from collections.abc import Iterator

import pytest
from playwright.sync_api import expect

from tests.browser.downloads_service import DownloadsService
from tests.browser.visits import GERMAN_PHONE, assert_accessible
from tests.inbox import Inbox, inbox_server

# A warning of a module that Apprise imports.
pytestmark = pytest.mark.filterwarnings("ignore:.imghdr. is deprecated:DeprecationWarning")


@pytest.fixture
def inbox() -> Iterator[Inbox]:
    with inbox_server() as inbox:
        yield inbox


@pytest.mark.nightly
def test_recipient_is_notified_and_address_stays_secret(
    service: DownloadsService, inbox: Inbox
) -> None:
    page = service.open("/settings", GERMAN_PHONE)
    card = page.locator(".card").filter(has=page.get_by_role("heading", name="Benachrichtigungen"))
    card.get_by_role("button", name="Empfänger hinzufügen").click()
    card.get_by_label("Benachrichtigungs-URL (Apprise)").fill(inbox.url)
    card.get_by_label("Wartende Captchas").uncheck()
    assert_accessible(page)
    card.get_by_role("button", name="Speichern").click()
    expect(page.get_by_text("Gespeichert.", exact=True)).to_be_visible()

    page.reload()
    expect(card.get_by_label("Benachrichtigungs-URL (Apprise)")).not_to_have_value("")
    expect(card.get_by_label("Wartende Captchas")).not_to_be_checked()
    expect(card.get_by_label("Fertige Pakete")).to_be_checked()
    assert "hunter2" not in card.get_by_label("Benachrichtigungs-URL (Apprise)").input_value()
    # The masked address still sends to the real recipient.
    card.get_by_role("button", name="Testnachricht senden").click()
    expect(page.get_by_text("Testnachricht gesendet.")).to_be_visible()
    assert inbox.messages == ["This is a test message."]

    card.get_by_role("button", name="Empfänger entfernen").click()
    card.get_by_role("button", name="Speichern").click()
    expect(card.get_by_label("Benachrichtigungs-URL (Apprise)")).to_have_count(0)
    page.reload()
    expect(card.get_by_role("button", name="Empfänger hinzufügen")).to_be_visible()
    expect(card.get_by_label("Benachrichtigungs-URL (Apprise)")).to_have_count(0)
