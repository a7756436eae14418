"""Captchas and questions, answered one after the other."""

import json
import re
from base64 import urlsafe_b64decode
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Page, expect

from tests.browser.downloads_service import DownloadsService
from tests.browser.visits import Look, assert_accessible, assert_accessible_in

pytestmark = pytest.mark.nightly

WORDS = {
    "de": {
        "empty": "Keine Captchas",
        "answer": "Antwort",
        "image": "Text aus dem Bild eingeben",
        "password": "Passwort",
        "wrong": "Das letzte Passwort war falsch.",
    },
    "en": {
        "empty": "No captchas",
        "answer": "Answer",
        "image": "Enter the text in the image",
        "password": "Password",
        "wrong": "The last password was wrong.",
    },
}


def ask(service: DownloadsService, page: Page, id: str, count: int) -> None:
    """Start a download whose hoster asks a question, and wait until the tab title shows the number
    of open questions.
    """
    service.load(page, f"https://demo.invalid/f/{id}")
    expect(page).to_have_title(re.compile(rf"^\({count}\) "))


def test_questions_are_answered_one_by_one(service: DownloadsService, look: Look) -> None:
    words = WORDS[look.language]
    page = service.open("/captchas", look)
    expect(page.get_by_role("heading", name=words["empty"])).to_be_visible()
    assert_accessible_in(page, look)
    ask(service, page, "picture", 1)
    ask(service, page, "locked", 2)
    expect(page.locator("nav").get_by_text("2", exact=True)).to_be_visible()

    expect(page.get_by_role("heading", name=words["image"])).to_be_visible()
    answer = page.get_by_label(words["answer"], exact=True)
    expect(answer).to_be_focused()
    assert_accessible_in(page, look)
    # Open questions survive a page reload.
    page.reload()
    expect(answer).to_be_focused()
    answer.fill("x7kq3")
    page.keyboard.press("Enter")

    password = page.get_by_label(words["password"], exact=True)
    expect(password).to_be_focused()
    password.fill("open")
    page.keyboard.press("Enter")
    expect(page.get_by_role("alert")).to_have_text(words["wrong"])
    expect(password).to_be_focused()
    expect(password).to_have_value("")
    assert_accessible_in(page, look)
    password.fill("right")
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", name=words["empty"])).to_be_visible()
    expect(page).to_have_title("Captchas · Downloads")


def test_captcha_is_solved_on_hoster_page(service: DownloadsService) -> None:
    page = service.open("/captchas")
    ask(service, page, "robot", 1)
    link = page.get_by_role("link", name="Open demo.invalid")
    address = urlsplit(link.get_attribute("href") or "")
    assert f"{address.scheme}://{address.netloc}{address.path}?{address.query}" == (
        "https://demo.invalid/robots?file=1"
    )
    name, _, value = address.fragment.partition("=")
    challenge = json.loads(urlsafe_b64decode(value + "=" * (-len(value) % 4)))
    [shown] = page.request.get(f"{service.address}/api/captchas").json()
    assert name == "quartet"
    assert challenge == {
        "id": shown["id"],
        "secret": shown["secret"],
        "kind": "recaptcha",
        "siteKey": "key",
        "enterprise": True,
    }
    script = page.get_by_role("link", name="Install userscript").get_attribute("href") or ""
    assert "UserScript" in page.request.get(f"{service.address}{script}").text()
    assert_accessible(page)
    page.get_by_role("button", name="Skip this captcha").click()
    expect(page.get_by_role("heading", name="No captchas")).to_be_visible()
