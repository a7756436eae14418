"""Conflicts and earlier versions in the browser, with files of a real hub."""

import os
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import expect

from tests.browser.sync_devices import sign_in_at
from tests.browser.visits import Look, Visit, assert_accessible
from tests.sync.processes import Server, server, until

pytestmark = pytest.mark.nightly

PHONE = Look("de", "light", phone=True)


@pytest.fixture
def sync(tmp_path: Path) -> Iterator[Server]:
    with server(tmp_path) as running:
        yield running


def test_conflict_is_compared_and_version_is_restored(sync: Server, visit: Visit) -> None:
    folder = sync.post("/api/folders", {"label": "Notizen"})
    files = sync.data / "folders" / folder["engineFolderId"]
    until(lambda: (files / ".stfolder").exists())
    trip = files / "trip.txt"
    trip.write_text("tent\nstove\n")
    copy = files / "trip.sync-conflict-20260101-101500-ABCDEFG.txt"
    copy.write_text("tent\ngas stove\n")
    (files / ".stversions").mkdir(exist_ok=True)
    (files / ".stversions/trip~20260102-080000.txt").write_text("tent only\n")
    conflicts = f"/api/folders/{folder['id']}/conflicts"
    until(lambda: sync.get(conflicts), seconds=60)

    page = visit(f"{sync.url}/folders/{folder['id']}", PHONE, sign_in_at(sync))
    page.get_by_role("button", name="Vergleichen").click()
    expect(page.get_by_role("cell", name="gas stove")).to_be_visible()
    assert_accessible(page)
    page.get_by_role("button", name="Kopie behalten").click()
    expect(page.get_by_text("Keine Konflikte")).to_be_visible()
    assert trip.read_text() == "tent\ngas stove\n"
    assert not copy.exists()

    page.get_by_role("button", name="Wiederherstellen trip.txt").last.click()
    page.get_by_role("dialog").get_by_role("button", name="Wiederherstellen").click()
    expect(page.get_by_text("Wiederhergestellt: trip.txt")).to_be_visible()
    assert trip.read_text() == "tent only\n"
    assert_accessible(page)
    visit.close()


def test_folder_is_rolled_back_and_file_shared_by_link(sync: Server, visit: Visit) -> None:
    folder = sync.post("/api/folders", {"label": "Notizen"})
    files = sync.data / "folders" / folder["engineFolderId"]
    until(lambda: (files / ".stfolder").exists())
    (files / ".stversions").mkdir(exist_ok=True)
    # Changed two days ago, and deleted now.
    gone = files / f".stversions/trip~{time.strftime('%Y%m%d-%H%M%S', time.gmtime())}.txt"
    gone.write_text("tent\n")
    os.utime(gone, (time.time() - 2 * 86400,) * 2)

    page = visit(f"{sync.url}/folders/{folder['id']}", PHONE, sign_in_at(sync))
    page.get_by_role("button", name="Zurücksetzen", exact=True).click()
    dialog = page.get_by_role("dialog")
    dialog.get_by_role("button", name="Gestern").click()
    expect(dialog.get_by_text("1 gelöschte Datei kommt zurück")).to_be_visible()
    # The preview is dimmed until it shows the chosen time.
    begin = dialog.get_by_role("button", name="1 Datei zurücksetzen")
    expect(begin).to_be_enabled()
    assert_accessible(page)
    begin.click()
    expect(page.get_by_text("zurückgesetzt: 1 Datei")).to_be_visible()
    assert (files / "trip.txt").read_text() == "tent\n"

    page.get_by_role("link", name="Dateien ansehen").click()
    page.get_by_role("button", name="trip.txt", exact=True).click()
    expect(page.get_by_text("tent")).to_be_visible()
    page.get_by_role("button", name="Schließen").click()
    page.get_by_role("button", name="Per Link teilen trip.txt").click()
    page.get_by_role("button", name="Link erstellen").click()
    address = page.get_by_role("dialog").locator("code").inner_text()
    page.get_by_role("button", name="Fertig").click()
    expect(page.get_by_text("0 Downloads")).to_be_visible()
    assert_accessible(page)
    visit.close()

    # Another person, who is not signed in.
    page = visit(address, PHONE)
    # A hidden form takes no room.
    sender = page.locator("form[hidden]")
    assert sender.evaluate("(form) => getComputedStyle(form).display") == "none"
    with page.expect_download() as saved:
        page.get_by_role("button", name="Herunterladen").click()
    assert saved.value.path().read_text() == "tent\n"
    assert_accessible(page)
    visit.close()
