"""The link grabber, its rules and the settings."""

import pytest
from playwright.sync_api import expect

from tests.browser.downloads_service import PASTE, DownloadsService
from tests.browser.visits import Look, Visit, assert_accessible, assert_accessible_in, row

pytestmark = pytest.mark.nightly

SMALL = 64 * 1024


# The next test covers the page, tests/downloads/test_grabber.py the actions.
def test_link_grabber_renames_package_and_starts_selected_links(shared: DownloadsService) -> None:
    page = shared.open("/grabber")
    page.evaluate(
        PASTE, f"{shared.files.put('one.bin', SMALL)} {shared.files.put('two.bin', SMALL)}"
    )
    page.get_by_role("button", name="Add to grabber").click()
    expect(row(page, "two.bin")).to_contain_text("Online")
    page.get_by_role("textbox", name="Package name").fill("Renamed")
    page.keyboard.press("Enter")
    page.get_by_role("textbox", name="Target folder").fill("somewhere/else")
    page.keyboard.press("Enter")
    expect(page.get_by_role("grid", name="Renamed")).to_be_visible()
    row(page, "two.bin").get_by_role("checkbox").click()
    page.get_by_role("button", name="Start selected (1)").click()
    expect(row(page, "two.bin")).to_have_count(0)
    expect(row(page, "one.bin")).to_be_visible()
    page.locator("nav li a").first.click()
    expect(row(page, "two.bin")).to_contain_text("Finished")
    assert (shared.done / "somewhere" / "else" / "two.bin").exists()


def test_link_grabber_groups_moves_searches_and_removes_offline_links(
    shared: DownloadsService,
) -> None:
    page = shared.open("/grabber")
    names = ("film.part1.rar", "film.part2.rar", "other.bin")
    links = [*(shared.files.put(name, SMALL) for name in names), f"{shared.files.address}/gone.zip"]
    page.evaluate(PASTE, " ".join(links))
    page.get_by_role("button", name="Add to grabber").click()
    expect(row(page, "gone.zip")).to_contain_text("Offline")
    page.get_by_role("button", name="All links").click()
    page.get_by_role("menuitem", name="Remove 1 offline link").click()
    expect(row(page, "gone.zip")).to_have_count(0)
    page.get_by_role("button", name="All links").click()
    page.get_by_role("menuitem", name="Group by name").click()
    film, other = (page.get_by_role("region", name=name, exact=True) for name in ("film", "other"))
    expect(row(other, "other.bin")).to_be_visible()
    expect(row(film, "film.part")).to_have_count(2)
    row(film, "part2").click(button="right")
    assert_accessible(page)
    page.get_by_role("menuitem", name="Move to package").click()
    dialog = page.get_by_role("dialog", name="Move 1 link")
    dialog.get_by_label("Package", exact=True).select_option("other")
    assert_accessible(page)
    dialog.get_by_role("button", name="Move").click()
    expect(row(other, "film.part2.rar")).to_be_visible()
    page.get_by_role("searchbox").fill("part2")
    expect(row(page, "film.part1.rar")).to_have_count(0)
    expect(page.get_by_role("button", name="Start selected (1)").first).to_be_visible()
    assert_accessible(page)


def test_rule_is_tried_while_it_is_edited(shared: DownloadsService, look: Look) -> None:
    german = look.language == "de"
    page = shared.open("/grabber", look)
    page.evaluate(
        PASTE, f"{shared.files.put('film.mkv', SMALL)} {shared.files.put('note.pdf', SMALL)}"
    )
    page.get_by_role("dialog").get_by_role("button").nth(-2).click()
    expect(row(page, "film.mkv")).to_contain_text("Online")
    page.goto(page.url.replace("/grabber", "/rules"))
    page.get_by_role("button", name="Regel hinzufügen" if german else "Add rule").click()
    dialog = page.get_by_role("dialog")
    match = "Trifft auf {} Link" if german else "Matches {} link"
    expect(dialog.get_by_text(match.format(2))).to_be_visible()
    dialog.get_by_label("Dateiname" if german else "File name").fill("film")
    expect(dialog.get_by_text(match.format(1))).to_be_visible()
    expect(dialog.get_by_text("film.mkv")).to_be_visible()
    dialog.get_by_label("Link überspringen" if german else "Skip link").click()
    assert_accessible_in(page, look)
    dialog.get_by_role("button", name="Speichern" if german else "Save").click()
    expect(page.get_by_role("listitem").filter(has_text="film")).to_be_visible()
    assert_accessible_in(page, look)


def test_page_is_searched_for_links(shared: DownloadsService) -> None:
    shared.files.put("file.zip", SMALL)
    page = shared.open("/grabber")
    shared.files.contents["/thread"] = b'<title>Post</title><a href="file.zip">x</a>'
    page.evaluate(PASTE, f"{shared.files.address}/thread")
    page.get_by_role("dialog").get_by_role("button").nth(-2).click()
    page.get_by_role("button", name="Find links on this page").click()
    dialog = page.get_by_role("dialog", name="Find links on this page")
    assert_accessible(page)
    dialog.get_by_role("button", name="Find links").click()
    expect(row(page, "file.zip")).to_contain_text("Online")


def test_settings_are_saved_and_kept_after_error(shared: DownloadsService, visit: Visit) -> None:
    visit.refusals_expected = True
    page = shared.open("/settings")
    page.get_by_label("Simultaneous downloads").fill("five")
    page.keyboard.press("Control+s")
    expect(page.get_by_role("alert")).to_have_text("Enter a whole number.")
    page.get_by_label("Simultaneous downloads").fill("5")
    page.get_by_label("Proxy").fill("nonsense")
    page.keyboard.press("Control+s")
    expect(page.get_by_role("alert")).to_contain_text("Not a valid proxy address")
    expect(page.get_by_label("Simultaneous downloads")).to_have_value("5")
    page.get_by_label("Proxy").fill("")
    page.get_by_role("button", name="Add time slot").click()
    assert_accessible(page)
    page.keyboard.press("Control+s")
    expect(page.get_by_text("Saved.")).to_be_visible()
    page.get_by_label("Passwords", exact=True).fill("open\nsesame\n")
    form = page.locator("form").filter(has=page.get_by_label("Passwords", exact=True))
    form.get_by_role("button", name="Save").click()
    expect(page.get_by_label("Passwords", exact=True)).to_have_value("open\nsesame")

    page.reload()
    expect(page.get_by_label("Simultaneous downloads")).to_have_value("5")
    expect(page.get_by_role("group", name="Time slot 1")).to_be_visible()
    expect(page.get_by_label("Passwords", exact=True)).to_have_value("open\nsesame")
    page.locator("nav li a").first.click()
    expect(page.get_by_text("0 of 5")).to_be_visible()
