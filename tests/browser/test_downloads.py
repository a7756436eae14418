"""The queue, from a pasted link to the finished file."""

import re

import pytest
from playwright.sync_api import Page, expect

from tests.browser.downloads_service import PASTE, DownloadsService
from tests.browser.visits import (
    ENGLISH_WIDE,
    Look,
    Visit,
    assert_accessible,
    assert_accessible_in,
    row,
    wait_for_script,
)

SMALL = 64 * 1024
LARGE = 4 * 1024 * 1024
ENGLISH_PHONE = Look("en", "dark", phone=True)
WIDE_AND_PHONE = [ENGLISH_WIDE, pytest.param(ENGLISH_PHONE, marks=pytest.mark.nightly)]

WORDS = {
    "de": {
        "empty": "Noch keine Downloads",
        "add": "Links hinzufügen",
        "found": "2 Links gefunden",
        "collect": "In den Linksammler",
        "package": "Paketname",
        "start_all": "Alle starten",
        "finished": "Fertig",
    },
    "en": {
        "empty": "No downloads yet",
        "add": "Add links",
        "found": "2 links found",
        "collect": "Add to grabber",
        "package": "Package name",
        "start_all": "Start all",
        "finished": "Finished",
    },
}

DROP = """(text) => {
    const dataTransfer = new DataTransfer();
    dataTransfer.items.add(new File([text], 'links.txt', { type: 'text/plain' }));
    for (const type of ['dragover', 'drop'])
        document.body.dispatchEvent(
            new DragEvent(type, { dataTransfer, bubbles: true, cancelable: true }),
        );
}"""


# Pixels by which an element exceeds the right edge of its clipping ancestor.
CUT_OFF = """one => {
    const text = document.createRange();
    text.selectNodeContents(one);
    const edges = [innerWidth];
    for (let box = one.parentElement; box; box = box.parentElement)
        if (getComputedStyle(box).overflowX !== 'visible')
            edges.push(box.getBoundingClientRect().right);
    return text.getBoundingClientRect().right - Math.min(...edges);
}"""


def add(page: Page, links: str) -> None:
    page.keyboard.press("n")
    page.get_by_label("Links", exact=True).fill(links)
    page.get_by_role("button", name="Download now").click()
    expect(page.get_by_role("dialog")).to_have_count(0)


def test_pasted_link_is_downloaded(shared: DownloadsService, look: Look) -> None:
    words = WORDS[look.language]
    links = [shared.files.put("one.bin", SMALL), shared.files.put("two.bin", SMALL)]
    page = shared.open("/", look)
    expect(page.get_by_role("heading", name=words["empty"])).to_be_visible()
    assert_accessible_in(page, look)

    page.evaluate(PASTE, "\n".join(links))
    dialog = page.get_by_role("dialog", name=words["add"])
    expect(dialog.get_by_text(words["found"])).to_be_visible()
    assert_accessible_in(page, look)
    dialog.get_by_label(words["package"]).fill("Two things")
    dialog.get_by_role("button", name=words["collect"]).click()

    expect(row(page, "one.bin")).to_contain_text("Online")
    expect(row(page, "two.bin")).to_contain_text("65,5 kB" if look.language == "de" else "65.5 kB")
    assert_accessible_in(page, look)
    page.get_by_role("button", name=words["start_all"]).click()

    expect(row(page, "one.bin")).to_contain_text(words["finished"])
    expect(row(page, "Two things")).to_contain_text(words["finished"])
    assert_accessible_in(page, look)
    for name in ("one.bin", "two.bin"):
        assert (shared.done / "Two things" / name).read_bytes() == shared.files.contents[f"/{name}"]


def test_icon_of_a_host_is_shown(shared: DownloadsService) -> None:
    page = shared.open()
    links = [shared.files.put("one.bin", SMALL), shared.files.put("two.bin", SMALL)]
    shared.load(page, *links, packageName="Harbour")
    # Nothing listens there.
    shared.load(page, "http://127.0.0.2:9/three.bin", packageName="Island")
    expect(row(page, "Harbour").locator("img")).to_have_js_property("naturalWidth", 1)
    expect(row(page, "Island").locator(".tile")).to_have_text("1")
    hidden = re.compile("visually-hidden")
    expect(row(page, "Harbour").get_by_text("127.0.0.1")).not_to_have_class(hidden)
    # The files of the package have the same host.
    expect(row(page, "one.bin").locator("img")).to_be_visible()
    expect(row(page, "one.bin").get_by_text("127.0.0.1")).to_have_class(hidden)
    assert_accessible(page)


@pytest.mark.nightly
def test_links_are_added_by_file_command_and_shortcut(shared: DownloadsService) -> None:
    page = shared.open("/account")
    page.evaluate(DROP, "https://a.example/1 and https://a.example/2")
    dialog = page.get_by_role("dialog", name="Add links")
    expect(dialog.get_by_text("2 links found")).to_be_visible()
    page.keyboard.press("Escape")
    expect(dialog).to_be_hidden()
    page.keyboard.press("Control+k")
    page.keyboard.type("add links")
    page.keyboard.press("Enter")
    # The existing links are kept.
    expect(dialog.get_by_text("2 links found")).to_be_visible()
    dialog.get_by_label("Links", exact=True).fill(shared.files.put("one.bin", SMALL))
    page.keyboard.press("Control+Enter")
    expect(row(page, "one.bin")).to_contain_text("Finished")
    page.keyboard.press("?")
    expect(page.get_by_role("dialog").get_by_text("Paste links (on any page)")).to_be_visible()
    assert_accessible(page)


@pytest.mark.nightly
def test_pause_resume_and_delete(shared: DownloadsService, visit: Visit) -> None:
    # The page may request a download just as it is deleted.
    visit.refusals_expected = True
    shared.files.open.clear()
    page = shared.open()
    add(page, shared.files.put("large.bin", LARGE))
    # Below the headings, the section and the package.
    download = page.get_by_role("row").nth(3)
    expect(download).to_contain_text("Downloading")
    download.get_by_role("checkbox").click()
    page.get_by_role("button", name="Pause", exact=True).click()
    expect(download).to_contain_text("Paused")
    assert_accessible(page)

    shared.files.open.set()
    page.get_by_role("button", name="Resume", exact=True).click()
    expect(download).to_contain_text("Finished")
    assert (shared.done / "large" / "large.bin").stat().st_size == LARGE

    page.get_by_role("grid").focus()
    page.keyboard.press("Delete")
    dialog = page.get_by_role("dialog", name="Delete 1 download?")
    assert_accessible(page)
    dialog.get_by_label("Also delete finished files").click()
    dialog.get_by_role("button", name="Delete").click()
    expect(page.get_by_role("heading", name="No downloads yet")).to_be_visible()
    assert not (shared.done / "large" / "large.bin").exists()


# tests/downloads/test_download_details.py covers the attempts.
@pytest.mark.nightly
def test_details_show_error(shared: DownloadsService) -> None:
    page = shared.open()
    add(page, f"{shared.files.address}/gone.zip")
    expect(page.get_by_role("row").nth(3)).to_contain_text("Failed")
    page.get_by_role("grid").focus()
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    details = page.get_by_role("complementary", name="gone.zip")
    expect(details.get_by_role("alert")).to_have_text("The file is no longer available.")
    log = details.get_by_role("region", name="Earlier attempts")
    expect(log.get_by_role("listitem")).to_contain_text("The file is no longer available.")
    assert "download=" in page.url
    assert_accessible(page)
    page.reload()
    expect(details).to_be_visible()
    page.keyboard.press("Escape")
    expect(details).to_be_hidden()


@pytest.mark.nightly
@pytest.mark.parametrize("look", WIDE_AND_PHONE, ids=str)
def test_selected_download_shows_segments(shared: DownloadsService, look: Look) -> None:
    page = shared.open(look=look)
    shared.files.seconds_per_chunk = 0.1
    add(page, shared.files.put("big.bin", 12 * 1024 * 1024))
    page.get_by_role("row", name="big.bin").get_by_role("checkbox").check()
    bar = page.get_by_role("row", name="big.bin").get_by_role("progressbar")
    expect(bar.locator(".stretch")).not_to_have_count(0)
    number = page.get_by_role("row", name="big.bin").locator(".figures > .number")
    assert number.evaluate(CUT_OFF) <= 0
    assert_accessible(page)
    page.get_by_role("button", name="Details").click()
    box = page.get_by_role("dialog" if look.phone else "complementary", name="big.bin")
    expect(box.locator(".stretch").nth(1)).to_be_visible()
    assert_accessible(page)


@pytest.mark.nightly
def test_row_is_not_cut_off_in_small_windows(shared: DownloadsService) -> None:
    page = shared.open()
    add(page, shared.files.put("one.bin", SMALL))
    expect(row(page, "one.bin")).to_contain_text("Finished")
    grid = page.get_by_role("grid")
    for width in (1366, 1280, 1024, 960, 860, 768, 640):
        page.set_viewport_size({"width": width, "height": 800})
        for figure in ("100%", "Finished"):
            assert row(page, "one.bin").get_by_text(figure).evaluate(CUT_OFF) <= 0
        # The last column has the menu.
        expect(grid).to_be_visible()
        assert grid.evaluate("(grid) => grid.scrollWidth - grid.clientWidth") <= 0, width


@pytest.mark.nightly
def test_search_filter_fold_and_sort_survive_reload(shared: DownloadsService) -> None:
    page = shared.open()
    add(page, f"{shared.files.put('one.bin', SMALL)} {shared.files.put('two.bin', SMALL)}")
    expect(row(page, "one.bin")).to_contain_text("Finished")
    page.get_by_role("searchbox").fill("two")
    expect(row(page, "one.bin")).to_have_count(0)
    page.get_by_label("Status").select_option("finished")
    page.get_by_role("button", name="Collapse").click()
    expect(row(page, "two.bin")).to_have_count(0)
    page.reload()
    expect(page.get_by_role("button", name="Expand")).to_be_visible()
    expect(page.get_by_role("searchbox")).to_have_value("two")
    page.get_by_label("Status").select_option("failed")
    page.get_by_role("button", name="Show all").click()
    page.get_by_role("button", name="Size", exact=True).click()
    expect(row(page, "one.bin")).to_be_visible()
    page.get_by_role("button", name="Group by package").click()
    expect(page.get_by_role("button", name="Expand")).to_be_visible()


# tests/downloads/test_options.py covers the limit.
@pytest.mark.nightly
def test_speed_limit_is_changed_from_queue(shared: DownloadsService) -> None:
    page = shared.open()
    slider = page.get_by_label("Speed limit")
    expect(page.get_by_text("Unlimited")).to_be_visible()
    slider.focus()
    page.keyboard.press("ArrowLeft")
    expect(page.get_by_text("134 MB/s")).to_be_visible()
    page.get_by_role("link", name="Settings").click()
    expect(page.get_by_label("Speed limit in KiB/s")).to_have_value("131072")


# tests/downloads/test_sections.py covers the sections.
@pytest.mark.nightly
def test_sections_follow_state_and_close(shared: DownloadsService) -> None:
    page = shared.open()
    shared.files.open.clear()
    add(page, f"{shared.files.address}/gone.zip")
    add(page, shared.files.put("slow.bin", LARGE))
    headings = page.get_by_role("row").filter(has=page.locator("[aria-colspan]"))
    expect(headings).to_have_text(["Active 1", "Failed 1"])
    expect(row(page, "gone.zip")).to_contain_text("The file is no longer available.")
    shared.files.open.set()
    expect(headings).to_have_text(["Failed 1", "Finished 1"])
    # A package is selected with all of its downloads.
    package = page.get_by_role("row", name="slow", exact=False).first
    package.get_by_role("checkbox").check()
    expect(page.get_by_text("1 selected")).to_be_visible()
    expect(row(page, "slow.bin").get_by_role("checkbox")).to_be_checked()
    row(page, "slow.bin").get_by_role("checkbox").uncheck()
    expect(package.get_by_role("checkbox")).not_to_be_checked()
    page.get_by_role("button", name="Finished 1").click()
    expect(row(page, "slow.bin")).to_have_count(0)
    assert_accessible(page)
    page.reload()
    expect(row(page, "gone.zip")).to_be_visible()
    expect(row(page, "slow.bin")).to_have_count(0)


@pytest.mark.nightly
@pytest.mark.parametrize("look", WIDE_AND_PHONE, ids=str)
def test_row_menu_and_package_panel(shared: DownloadsService, look: Look) -> None:
    page = shared.open(look=look)
    add(page, f"{shared.files.put('one.bin', SMALL)} {shared.files.put('two.bin', SMALL)}")
    expect(row(page, "two.bin")).to_contain_text("Finished")
    menu = page.get_by_role("menu").filter(has=page.get_by_role("menuitem", name="Copy links"))
    package = page.get_by_role("row").filter(has=page.get_by_role("button", name="Collapse"))
    if look.phone:
        package.get_by_role("button", name="More actions").tap()
    else:
        row(page, "two.bin").click(button="right")
        expect(menu.get_by_role("menuitem", name="Details")).to_be_visible()
        # The menu takes the focus when it is complete.
        expect(menu.locator(":focus")).to_have_count(1)
        page.keyboard.press("Escape")
        expect(menu).to_be_hidden()
        # The keyboard opens the menu of the active row.
        page.get_by_role("grid").focus()
        page.keyboard.press("ArrowUp")
        page.keyboard.press("ArrowUp")
        page.keyboard.press("Shift+F10")
    expect(menu.get_by_role("menuitem", name="Edit package")).to_be_visible()
    assert_accessible(page)
    menu.get_by_role("menuitem", name="Edit package").click()
    panel = page.get_by_role("dialog" if look.phone else "complementary")
    expect(panel.get_by_label("Package name")).not_to_be_empty()
    panel.get_by_label("Package name").fill("Renamed")
    panel.get_by_label("Target folder").fill("else/where")
    panel.get_by_label("Archive passwords").fill("secret")
    panel.get_by_label("Speed limit (KiB/s)").fill("500")
    panel.get_by_role("button", name="Save").click()
    expect(page.get_by_text("Saved.")).to_be_visible()
    expect(panel.get_by_text("Enter new ones to replace them.")).to_be_visible()
    expect(panel.get_by_role("heading", name="Renamed")).to_be_visible()
    assert_accessible(page)
    page.reload()
    expect(panel.get_by_label("Speed limit (KiB/s)")).to_have_value("500")
    moved = shared.done / "else" / "where" / "two.bin"
    wait_for_script(page, "!document.body.textContent.includes('Moving files')")
    assert moved.read_bytes() == shared.files.contents["/two.bin"]
