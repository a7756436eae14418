"""The tour of a service."""

# ruff: noqa: F811 - fixtures are asked for by their names.

import pytest
from playwright.sync_api import Page, expect

from tests.browser.media_service import Open, media  # noqa: F401
from tests.browser.visits import GERMAN_PHONE, assert_accessible

TITLES = [
    "Ordner auswählen",
    "Vorschau prüfen",
    "Zuordnung korrigieren",
    "Ordner überwachen",
    "Änderungen rückgängig machen",
]


def start_tour(page: Page) -> None:
    page.keyboard.press("Control+k")
    page.keyboard.type("Rundgang starten")
    expect(page.get_by_role("option")).to_have_count(1)
    page.keyboard.press("Enter")


@pytest.mark.nightly
def test_tour_is_walked_with_the_keyboard_and_repeated(media: Open) -> None:
    page = media("/", GERMAN_PHONE)
    start_tour(page)
    for number, title in enumerate(TITLES, start=1):
        card = page.get_by_role("dialog", name=title)
        expect(card).to_contain_text(f"Schritt {number} von 5")
        word = "Fertig" if number == len(TITLES) else "Weiter"
        expect(card.get_by_role("button", name=word)).to_be_focused()
        if number == 1:
            expect(page.locator(".ring")).to_be_visible()
            assert_accessible(page)
        page.keyboard.press("Enter")
    expect(page.locator("h1")).to_have_text("Verlauf")
    expect(page.get_by_role("dialog", name=TITLES[-1])).to_have_count(0)

    start_tour(page)
    expect(page.get_by_role("dialog", name=TITLES[0])).to_be_visible()
    page.keyboard.press("Escape")
    expect(page.get_by_role("dialog", name=TITLES[0])).to_have_count(0)
