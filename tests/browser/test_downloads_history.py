"""The history of finished downloads."""

from playwright.sync_api import expect

from tests.browser.downloads_service import DownloadsService
from tests.browser.visits import GERMAN_PHONE, assert_accessible, row


def test_entry_is_downloaded_again_and_forgotten(shared: DownloadsService) -> None:
    page = shared.open("/", GERMAN_PHONE)
    shared.load(page, shared.files.put("again.bin", 1024), packageName="Set", targetDir="tv/Set")
    expect(row(page, "again.bin").get_by_role("gridcell", name="Fertig")).to_be_visible()
    page.goto(f"{shared.address}/history")
    entries = row(page, "again.bin")
    entries.first.get_by_role("button", name="Weitere Aktionen").click()
    assert_accessible(page)
    page.get_by_role("menuitem", name="Erneut herunterladen").click()
    expect(page.get_by_text("1 Download zur Warteschlange hinzugefügt.")).to_be_visible()
    expect(row(page, "again.bin")).to_have_count(2)
    packages = page.request.get(f"{shared.address}/api/packages").json()["packages"]
    assert [each["targetDir"] for each in packages] == ["tv/Set", "tv/Set"]

    page.goto(f"{shared.address}/history")
    expect(entries).to_have_count(2)
    entries.first.get_by_role("button", name="Weitere Aktionen").click()
    page.get_by_role("menuitem", name="Aus dem Verlauf entfernen").click()
    expect(entries).to_have_count(1)
