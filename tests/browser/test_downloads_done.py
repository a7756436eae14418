"""The done folder as a file browser, and extraction into it."""

import re
from pathlib import Path
from zipfile import ZipFile

import pytest
from playwright.sync_api import expect

from tests.browser.downloads_service import DownloadsService
from tests.browser.visits import Look, assert_accessible, assert_accessible_in, row
from tests.downloads.archives.make_archives import seven_zip

pytestmark = pytest.mark.nightly

WORDS = {
    "de": {
        "empty": "Noch keine Dateien",
        "new": "Neuer Ordner",
        "name": "Ordnername",
        "make": "Ordner erstellen",
        "move": "Verschieben",
        "here": "Hierher verschieben",
        "top": "Fertige Downloads",
        "archive": "Archiv",
        "unpack": "Entpacken",
        "rename": "Umbenennen",
        "delete": "Löschen",
    },
    "en": {
        "empty": "No files yet",
        "new": "New folder",
        "name": "Folder name",
        "make": "Create folder",
        "move": "Move",
        "here": "Move here",
        "top": "Finished downloads",
        "archive": "Archive",
        "unpack": "Extract",
        "rename": "Rename",
        "delete": "Delete",
    },
}


def put(service: DownloadsService, *paths: str) -> None:
    for path in paths:
        file = service.done / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(b"x" * 2500)


def put_zip(service: DownloadsService, name: str) -> None:
    with ZipFile(service.done / name, "w") as archive:
        archive.writestr("inside.txt", "hello")


def test_create_move_extract_and_delete(service: DownloadsService, look: Look) -> None:
    words = WORDS[look.language]
    page = service.open("/done", look)
    expect(page.get_by_role("heading", name=words["empty"])).to_be_visible()
    assert_accessible_in(page, look)
    page.get_by_role("button", name=words["new"]).click()
    page.get_by_label(words["name"]).fill("Sorted")
    page.get_by_role("button", name=words["make"]).click()
    expect(row(page, "Sorted")).to_be_visible()

    put(service, "one.bin")
    put_zip(service, "two.zip")
    page.reload()
    expect(row(page, "two.zip")).to_contain_text(words["archive"])
    expect(row(page, "one.bin")).to_contain_text("2,5 kB" if look.language == "de" else "2.5 kB")
    for name in ("one.bin", "two.zip"):
        row(page, name).get_by_role("checkbox").click()
    assert_accessible_in(page, look)
    page.get_by_role("button", name=words["move"]).click()
    page.get_by_role("dialog").get_by_text("Sorted").click()
    assert_accessible_in(page, look)
    page.get_by_role("button", name=words["here"]).click()
    expect(row(page, "one.bin")).to_have_count(0)

    row(page, "Sorted").dblclick()
    assert "path=Sorted" in page.url
    row(page, "two.zip").click(button="right")
    page.get_by_role("menuitem", name=words["unpack"], exact=True).click()
    expect(row(page, "inside.txt")).to_be_visible()
    row(page, "inside.txt").click(button="right")
    page.get_by_role("menuitem", name=words["rename"]).click()
    # The ending is not selected.
    expect(page.get_by_role("dialog").get_by_role("textbox")).to_be_focused()
    page.keyboard.insert_text("renamed")
    page.keyboard.press("Enter")
    expect(row(page, "renamed.txt")).to_be_visible()
    page.get_by_role("grid").focus()
    page.keyboard.press("Control+a")
    page.keyboard.press("Delete")
    dialog = page.get_by_role("dialog")
    expect(dialog.get_by_text("one.bin")).to_be_visible()
    assert_accessible_in(page, look)
    dialog.get_by_role("button", name=words["delete"], exact=True).click()
    expect(row(page, "one.bin")).to_have_count(0)
    page.get_by_role("link", name=words["top"]).click()
    expect(row(page, "Sorted")).to_be_visible()
    assert list((service.done / "Sorted").iterdir()) == []


def test_drag_shortcuts_and_address(service: DownloadsService) -> None:
    put(service, "Films/old.mkv", "Films/Deep/x.bin", "new.mkv", "other.mkv")
    page = service.open("/done")
    row(page, "new.mkv").drag_to(row(page, "Films"))
    expect(row(page, "new.mkv")).to_have_count(0)
    assert (service.done / "Films" / "new.mkv").exists()

    grid = page.get_by_role("grid")
    grid.focus()
    page.keyboard.press("Enter")
    expect(row(page, "old.mkv")).to_be_visible()
    row(page, "old.mkv").drag_to(page.get_by_role("link", name="Finished downloads"))
    expect(row(page, "old.mkv")).to_have_count(0)
    assert (service.done / "old.mkv").exists()

    page.get_by_role("searchbox").fill("new")
    expect(row(page, "Deep")).to_have_count(0)
    row(page, "new.mkv").dblclick()
    dialog = page.get_by_role("dialog", name="new.mkv")
    expect(dialog.get_by_label("Path")).to_have_text(str(service.done / "Films" / "new.mkv"))
    assert_accessible(page)
    page.reload()
    expect(dialog).to_be_visible()
    page.keyboard.press("Escape")
    grid.focus()
    page.keyboard.press("Backspace")
    expect(row(page, "Films")).to_be_visible()
    page.go_back()
    expect(row(page, "new.mkv")).to_be_visible()


def test_package_is_extracted_with_requested_password(
    service: DownloadsService, tmp_path: Path
) -> None:
    packing = tmp_path / "packing"
    packing.mkdir()
    seven_zip(packing, "set.7z", "-psesame", "-mhe=on", files={"inside.txt": b"hello"})
    service.files.contents["/set.7z"] = (packing / "set.7z").read_bytes()
    page = service.open("/captchas")
    service.load(page, f"{service.files.address}/set.7z", packageName="Set")
    asked = page.get_by_role("heading", name="Archive password")
    expect(asked).to_be_visible()
    page.get_by_label("Password", exact=True).fill("open")
    page.keyboard.press("Enter")
    expect(page.get_by_role("alert")).to_have_text("The last password was wrong.")
    page.get_by_role("button", name="Skip", exact=True).click()

    page.goto(f"{service.address}/done?path=Set")
    expect(page.get_by_role("alert")).to_contain_text("None of the known passwords opens set.7z.")
    row(page, "set.7z").dblclick()
    page.get_by_role("dialog").get_by_role("link", name="Set").click()
    # Below the headings and the section.
    package = page.get_by_role("row").nth(2)
    expect(package).to_contain_text("Needs password")
    package.get_by_role("checkbox").click()
    page.get_by_role("button", name="Extract").click()
    expect(page).to_have_title(re.compile(r"^\(1\) "))
    page.get_by_role("link", name="Captchas").click()
    page.get_by_label("Password", exact=True).fill("sesame")
    page.keyboard.press("Enter")
    page.get_by_role("link", name="Queue").click()
    expect(package).to_contain_text("Extracted")
    assert (service.done / "Set" / "inside.txt").read_bytes() == b"hello"
