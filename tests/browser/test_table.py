"""A list of a hundred thousand rows."""

import re

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.browser.visits import Look, Visit, assert_accessible

MOST_ROWS_DRAWN = 80


@pytest.fixture
def page(visit: Visit, gallery: str) -> Page:
    page = visit(f"{gallery}/table")
    expect(page.get_by_role("heading", name="100,000 rows")).to_be_visible()
    table(page).focus()
    return page


def table(page: Page) -> Locator:
    return page.get_by_role("grid")


def active(page: Page) -> Locator:
    # The row has no accessible name until it is drawn.
    expect(table(page)).to_have_attribute("aria-activedescendant", re.compile("."))
    name = table(page).get_attribute("aria-activedescendant")
    return page.locator(f"[id='{name}']")


def press(page: Page, *keys: str) -> None:
    for key in keys:
        page.keyboard.press(key)


@pytest.mark.nightly
def test_arrow_home_and_end_keys_move(page: Page) -> None:
    expect(active(page)).to_contain_text("Archive.part1.rar")
    press(page, "ArrowDown")
    expect(active(page)).to_contain_text("Archive.part2.rar")
    press(page, "End")
    expect(active(page)).to_contain_text("Archive.part100000.rar")
    expect(active(page)).to_be_in_viewport()
    press(page, "PageUp")
    expect(active(page)).not_to_contain_text("part100000.")
    press(page, "Home")
    expect(active(page)).to_contain_text("Archive.part1.rar")
    expect(active(page)).to_be_in_viewport()


def test_keys_select_open_and_delete(page: Page) -> None:
    chosen = page.get_by_text("selected", exact=False)
    press(page, "Space")
    expect(active(page)).to_have_attribute("aria-selected", "true")
    expect(chosen).to_have_text("1 selected")
    press(page, "Shift+ArrowDown", "Shift+ArrowDown")
    expect(chosen).to_have_text("3 selected")
    press(page, "Enter")
    expect(page.get_by_text("Opened Archive.part3.rar")).to_be_visible()
    press(page, "Delete")
    expect(page.get_by_role("heading", name="99,997 rows")).to_be_visible()
    page.get_by_role("button", name="Undo").click()
    expect(page.get_by_role("heading", name="100,000 rows")).to_be_visible()


@pytest.mark.nightly
def test_select_all_and_clear(page: Page) -> None:
    chosen = page.get_by_text("selected", exact=False)
    press(page, "Control+a")
    expect(chosen).to_have_text("100,000 selected")
    expect(page.get_by_label("Select all rows")).to_be_checked()
    assert_accessible(page)
    press(page, "Escape")
    expect(chosen).to_have_text("0 selected")


@pytest.mark.nightly
def test_active_row_stays_active_when_sort_order_changes(page: Page) -> None:
    press(page, "ArrowDown")
    page.get_by_role("button", name="Size").click()
    table(page).focus()
    press(page, "Enter")
    expect(page.get_by_text("Opened Archive.part2.rar")).to_be_visible()


@pytest.mark.nightly
def test_sort_order_survives_reload(page: Page) -> None:
    page.get_by_role("button", name="Size").click()
    page.get_by_role("button", name="Size").click()
    expect(page).to_have_url(re.compile(r"\?sort=-size$"))
    expect(page.get_by_role("columnheader", name="Size")).to_have_attribute(
        "aria-sort", "descending"
    )
    first = page.get_by_role("row").nth(1)
    name = first.inner_text()
    page.reload()
    expect(first).to_have_text(re.compile(re.escape(name.split("\n")[0])))


def test_only_visible_rows_are_drawn(page: Page) -> None:
    table(page).evaluate("table => table.scrollTo(0, table.scrollHeight / 2)")
    expect(page.get_by_text("Archive.part50000.rar")).to_be_visible()
    assert page.get_by_role("row").count() < MOST_ROWS_DRAWN


def test_phone_shows_cards(visit: Visit, gallery: str) -> None:
    page = visit(f"{gallery}/table", Look("en", "light", phone=True))
    row = page.get_by_role("row").nth(1)
    expect(row).to_contain_text("Archive.part1.rar")
    expect(row.get_by_text("Size")).to_be_visible()
    page.get_by_label("Sort by").select_option("size")
    page.get_by_role("button", name="Ascending").click()
    expect(page).to_have_url(re.compile(r"sort=-size"))
    row.tap()
    expect(page.get_by_text("Opened Archive")).to_be_visible()
    assert_accessible(page)
