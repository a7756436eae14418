"""The UI components on their own."""

import re

import pytest
from playwright.sync_api import Page, ViewportSize, expect

from tests.browser.visits import (
    LOOKS,
    PHONE,
    WIDE,
    Look,
    Visit,
    assert_accessible,
    overflow,
    violations,
    wait_for_script,
)

PAGES = ["", "forms", "table", "nowhere"]
SMALLEST_PHONE: ViewportSize = {"width": 320, "height": 640}


@pytest.mark.parametrize("path", PAGES)
@pytest.mark.parametrize("look", LOOKS, ids=str)
def test_every_page_is_accessible_in_every_look(
    visit: Visit, gallery: str, look: Look, path: str
) -> None:
    page = visit(f"{gallery}/{path}", look)
    expect(page.locator("main > *").first).to_be_visible()
    assert_accessible(page, wide=True)
    # The texts of both languages must fit in every window width.
    for window in (SMALLEST_PHONE, PHONE, WIDE):
        page.set_viewport_size(window)
        assert overflow(page) <= 0, f"too wide for {window}"


def test_accessibility_problems_are_reported(visit: Visit, gallery: str) -> None:
    page = visit(f"{gallery}/forms")
    assert_accessible(page, wide=True)
    page.locator("main h1, main h2").first.evaluate("one => one.style.color = '#8888'")
    page.get_by_role("button", name="Save").evaluate("one => one.replaceChildren()")
    found = violations(page)
    assert {one.split(":")[0] for one in found} == {"color-contrast", "button-name"}, found


def theme_of(page: Page) -> str:
    ground: str = page.evaluate("getComputedStyle(document.documentElement).colorScheme")
    return ground


def choose(page: Page, name: str) -> None:
    page.locator("header [aria-haspopup=menu]").click()
    page.get_by_role("menuitemradio", name=name, exact=True).click()


def test_language_follows_browser_and_can_be_chosen(visit: Visit, gallery: str) -> None:
    page = visit(gallery, Look("de"))
    commands = page.locator("header .commands")
    expect(commands).to_contain_text("Suchen oder wechseln")
    choose(page, "English")
    expect(commands).to_contain_text("Search or jump to")
    expect(page.locator("html")).to_have_attribute("lang", "en")
    page.reload()
    expect(commands).to_contain_text("Search or jump to")
    choose(page, "Browser default")
    expect(commands).to_contain_text("Suchen oder wechseln")


def test_theme_follows_system_and_can_be_chosen(visit: Visit, gallery: str) -> None:
    page = visit(gallery, Look("en", "dark"))
    assert theme_of(page) == "light dark"
    choose(page, "Light")
    assert theme_of(page) == "light"
    page.reload()
    assert theme_of(page) == "light"
    choose(page, "Dark")
    assert theme_of(page) == "dark"


def test_reduced_motion_stops_animations(visit: Visit, gallery: str) -> None:
    visit.still = True
    page = visit(gallery)
    expect(page.locator("main > *").first).to_be_visible()
    running = "document.getAnimations().some((one) => one.playState === 'running')"
    wait_for_script(page, f"!{running}")


def test_commands_are_found_by_typing(visit: Visit, gallery: str) -> None:
    page = visit(gallery)
    page.keyboard.press("Control+k")
    page.keyboard.type("tab")
    assert_accessible(page, wide=True)
    page.keyboard.press("Enter")
    expect(page).to_have_url(f"{gallery}/table")
    expect(page).to_have_title("Table · Gallery")


def test_question_mark_shows_keyboard_shortcuts(visit: Visit, gallery: str) -> None:
    page = visit(gallery)
    page.keyboard.press("?")
    dialog = page.get_by_role("dialog", name="Keyboard shortcuts")
    expect(dialog).to_be_visible()
    assert_accessible(page, wide=True)
    page.keyboard.press("Escape")
    expect(dialog).to_be_hidden()


def test_menu_works_with_keyboard(visit: Visit, gallery: str) -> None:
    page = visit(gallery)
    page.locator("header [aria-haspopup=menu]").focus()
    page.keyboard.press("Enter")
    expect(page.get_by_role("menuitemradio", name="Browser default")).to_be_focused()
    page.keyboard.press("End")
    expect(page.get_by_role("menuitem", name="Sign out")).to_be_focused()
    page.keyboard.press("ArrowDown")
    expect(page.get_by_role("menuitemradio", name="Browser default")).to_be_focused()
    assert_accessible(page, wide=True)
    page.keyboard.press("Escape")
    expect(page.locator("header [aria-haspopup=menu]")).to_be_focused()


def test_undo_restores_removed_item(visit: Visit, gallery: str) -> None:
    page = visit(gallery)
    page.get_by_role("button", name="Remove 3").click()
    expect(page.get_by_role("button", name="Remove 0")).to_be_visible()
    undo = page.get_by_role("button", name="Undo")
    undo.hover()
    assert_accessible(page, wide=True)
    undo.click()
    expect(page.get_by_role("button", name="Remove 3")).to_be_visible()
    expect(page.get_by_text("3 files removed")).to_be_hidden()


def test_toast_stays_while_hovered_or_focused(visit: Visit, gallery: str) -> None:
    page = visit(gallery)
    page.clock.install()
    page.get_by_role("button", name="Remove 3").click()
    undo = page.get_by_role("button", name="Undo")
    undo.hover()
    page.clock.fast_forward(60_000)
    expect(undo).to_be_visible()
    page.mouse.move(0, 0)
    page.clock.fast_forward(60_000)
    expect(undo).to_be_hidden()

    page.get_by_role("button", name="Remove 0").click()
    undo.focus()
    page.clock.fast_forward(60_000)
    expect(undo).to_be_visible()
    undo.blur()
    page.clock.fast_forward(60_000)
    expect(undo).to_be_hidden()


def test_dialog_asks_once_and_restores_focus(visit: Visit, gallery: str) -> None:
    page = visit(gallery)
    page.get_by_role("button", name="Ask").click()
    dialog = page.get_by_role("dialog", name="Delete 3 files?")
    expect(dialog).to_be_visible()
    assert_accessible(page, wide=True)
    dialog.get_by_role("button", name="Cancel").click()
    expect(dialog).to_be_hidden()
    expect(page.get_by_role("button", name="Ask")).to_be_focused()


def test_form_error_focuses_field_and_keeps_input(visit: Visit, gallery: str) -> None:
    page = visit(f"{gallery}/forms")
    page.get_by_label("Password", exact=True).fill("typed before")
    page.get_by_role("button", name="Save").click()
    name = page.get_by_label("Name", exact=True)
    expect(name).to_be_focused()
    expect(name).to_have_attribute("aria-invalid", "true")
    expect(page.get_by_role("alert")).to_contain_text("invalid")
    expect(page.get_by_label("Password", exact=True)).to_have_value("typed before")
    assert_accessible(page, wide=True)
    name.fill("Robin")
    page.keyboard.press("Enter")
    expect(page.get_by_text("Saved")).to_be_visible()
    expect(page.get_by_role("alert")).to_be_hidden()


def test_password_can_be_shown(visit: Visit, gallery: str) -> None:
    page = visit(f"{gallery}/forms")
    field = page.get_by_label("Password", exact=True)
    expect(field).to_have_attribute("type", "password")
    page.get_by_role("button", name="Show password").click()
    expect(field).to_have_attribute("type", "text")


def test_unknown_address_links_to_home_page(visit: Visit, gallery: str) -> None:
    page = visit(f"{gallery}/no/such/page")
    expect(page.get_by_role("heading", name="Page not found")).to_be_visible()
    expect(page.get_by_text("/no/such/page")).to_be_visible()
    page.get_by_role("button", name="Go to the home page").click()
    expect(page).to_have_url(re.compile(r"/$"))
    page.go_back()
    expect(page.get_by_role("heading", name="Page not found")).to_be_visible()
