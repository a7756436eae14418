"""The command palette (Ctrl+K)."""

import pytest
from playwright.sync_api import expect

from tests.browser.visits import Visit, assert_accessible


@pytest.mark.nightly
def test_two_items_with_same_name_are_both_found(visit: Visit, gallery: str) -> None:
    page = visit(gallery)
    page.keyboard.press("Control+k")
    page.keyboard.type("lap")
    expect(page.get_by_role("option", name="Laptop")).to_have_count(2)
    assert_accessible(page)
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    expect(page.get_by_text("Second laptop")).to_be_visible()
