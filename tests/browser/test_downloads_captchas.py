"""Captchas and questions, answered one after the other."""

import json
import re
from base64 import urlsafe_b64decode
from urllib.parse import urlsplit

from playwright.sync_api import Page, expect

from tests.browser.downloads_desk import Desk
from tests.browser.visits import Look, assert_good, assert_good_in

WORDS = {
    "de": {
        "empty": "Nichts zu beantworten",
        "answer": "Antwort",
        "image": "Eintippen, was das Bild zeigt",
        "password": "Passwort",
        "wrong": "Das letzte Passwort war falsch.",
    },
    "en": {
        "empty": "Nothing to answer",
        "answer": "Answer",
        "image": "Type what the picture shows",
        "password": "Password",
        "wrong": "The last password was wrong.",
    },
}


def ask(at: Desk, page: Page, id: str, count: int) -> None:
    """Loads a file whose hoster asks something, until the tab says how many questions wait."""
    at.load(page, f"https://demo.invalid/f/{id}")
    expect(page).to_have_title(re.compile(rf"^\({count}\) "))


def test_one_question_after_the_other(at: Desk, look: Look) -> None:
    words = WORDS[look.language]
    page = at.open("/captchas", look)
    expect(page.get_by_role("heading", name=words["empty"])).to_be_visible()
    assert_good_in(page, look)
    ask(at, page, "picture", 1)
    ask(at, page, "locked", 2)
    expect(page.locator("nav").get_by_text("2", exact=True)).to_be_visible()

    expect(page.get_by_role("heading", name=words["image"])).to_be_visible()
    answer = page.get_by_label(words["answer"], exact=True)
    expect(answer).to_be_focused()
    assert_good_in(page, look)
    # Questions survive a browser that is loaded again.
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
    assert_good_in(page, look)
    password.fill("right")
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", name=words["empty"])).to_be_visible()
    expect(page).to_have_title("Captchas · Downloads")


def test_a_captcha_for_the_hosters_page(at: Desk) -> None:
    page = at.open("/captchas")
    ask(at, page, "robot", 1)
    link = page.get_by_role("link", name="Open demo.invalid")
    address = urlsplit(link.get_attribute("href") or "")
    assert f"{address.scheme}://{address.netloc}{address.path}?{address.query}" == (
        "https://demo.invalid/robots?file=1"
    )
    name, _, value = address.fragment.partition("=")
    challenge = json.loads(urlsafe_b64decode(value + "=" * (-len(value) % 4)))
    [shown] = page.request.get(f"{at.address}/api/captchas").json()
    assert name == "quartet"
    assert challenge == {
        "id": shown["id"],
        "secret": shown["secret"],
        "kind": "recaptcha",
        "siteKey": "key",
        "enterprise": True,
    }
    script = page.get_by_role("link", name="Install userscript").get_attribute("href") or ""
    assert "UserScript" in page.request.get(f"{at.address}{script}").text()
    assert_good(page)
    page.get_by_role("button", name="Cancel the question").click()
    expect(page.get_by_role("heading", name="Nothing to answer")).to_be_visible()
