"""Device pages of sync: speed limits, notifications, configuration export and repairs."""

import json
import re
import sqlite3
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.browser.sync_devices import Device, Devices, devices_of, sign_in_at
from tests.browser.visits import ENGLISH_WIDE, GERMAN_PHONE, Look, Visit, assert_accessible
from tests.sync.processes import Server, server


@dataclass(frozen=True)
class SyncPages:
    server: Server
    devices: Devices
    visit: Visit

    def open(self, path: str, look: Look = ENGLISH_WIDE) -> Page:
        page = self.visit(self.server.url + path, look, sign_in_at(self.server))
        expect(page.locator("nav")).to_be_visible()
        return page

    def device(self) -> tuple[int, Device]:
        device = self.devices.new()
        code = self.server.post("/api/enrollments", {"name": "Studio"})["code"]
        return device.join(code), device

    def shared(self, device: int, mode: str) -> dict[str, str]:
        """A folder of the device."""
        folder: dict[str, str] = self.server.post("/api/folders", {"label": "Photos"})
        row = {"folderId": folder["id"], "deviceId": device, "mode": mode, "path": "/home/x/p"}
        self.server.post("/api/shares", {"changes": [row]})
        return folder

    def revision(self) -> int:
        found: int = self.server.get("/api/overview")["revision"]
        return found


@pytest.fixture
def sync(tmp_path: Path, visit: Visit) -> Iterator[SyncPages]:
    with server(tmp_path, SYNC_HUB="false") as running, devices_of(running.url) as devices:
        yield SyncPages(running, devices, visit)
        # Close the page first: it would log an error when the server stops.
        visit.close()


@pytest.mark.nightly
def test_device_speed_is_limited(sync: SyncPages) -> None:
    ident, _ = sync.device()
    page = sync.open(f"/devices/{ident}")
    upload = page.get_by_label("Upload (KiB/s)").first
    upload.fill("fast")
    expect(page.get_by_text("A whole number")).to_be_visible()
    upload.fill("250")
    assert_accessible(page)
    form = page.locator("form").filter(has=page.get_by_label("Upload (KiB/s)"))
    form.get_by_role("button", name="Save").click()
    expect(page.get_by_text("Saved.", exact=True)).to_be_visible()
    traffic = sync.server.device("Studio")["traffic"]
    assert (traffic["uploadKib"], traffic["paused"]) == (250, False)


@pytest.mark.nightly
def test_recipient_is_notified_and_address_stays_secret(sync: SyncPages) -> None:
    page = sync.open("/settings", GERMAN_PHONE)
    page.get_by_role("button", name="Empfänger hinzufügen").click()
    page.get_by_label("Benachrichtigungs-URL (Apprise)").fill(
        "json://hook.example.org/token-of-mine"
    )
    assert_accessible(page)
    form = page.locator("form").filter(has=page.get_by_label("Benachrichtigungs-URL (Apprise)"))
    form.get_by_role("button", name="Speichern").click()
    expect(page.get_by_text("Gespeichert.", exact=True)).to_be_visible()
    assert len(sync.server.get("/api/notices")["targets"]) == 1
    assert "token-of-mine" not in page.content()


@pytest.mark.nightly
def test_configuration_is_exported_and_imported(sync: SyncPages, tmp_path: Path) -> None:
    ident, _ = sync.device()
    folder = sync.shared(ident, "both")
    file = tmp_path / "export.json"
    file.write_text(json.dumps(sync.server.get("/api/config/export")))
    assert sync.server.api.delete(f"/api/folders/{folder['id']}").is_success
    page = sync.open("/settings")
    (tmp_path / "none.json").write_text("nothing of ours")
    picker = page.locator("input[type=file]")
    picker.set_input_files(tmp_path / "none.json")
    expect(page.get_by_role("dialog")).to_have_count(0)
    picker.set_input_files(file)
    dialog = page.get_by_role("dialog")
    expect(dialog).to_contain_text("Import this configuration?")
    assert_accessible(page)
    dialog.get_by_role("button", name="Import").click()
    expect(page.get_by_text("Imported.")).to_be_visible()
    assert [each["label"] for each in sync.server.get("/api/overview")["folders"]] == ["Photos"]


# tests/sync/test_repairs.py covers the change.
@pytest.mark.nightly
def test_local_changes_in_receive_only_folder_are_reverted(sync: SyncPages) -> None:
    ident, device = sync.device()
    folder = sync.shared(ident, "receive")
    device.applied(device.state(sync.revision()).revision)
    device.report(folder["engineFolderId"], state="idle", drifted=1)
    page = sync.open(f"/folders/{folder['id']}")
    page.get_by_role("button", name="Revert local changes").click()
    assert_accessible(page)
    page.get_by_role("dialog").get_by_role("button", name="Revert local changes").click()
    expect(page.get_by_text("Applied.")).to_be_visible()
    wish = device.state(sync.revision())
    assert wish.folders[0].repair
    device.applied(wish.revision)
    device.report(folder["engineFolderId"], state="idle")
    expect(page.get_by_role("button", name="Revert local changes")).to_have_count(0)


# tests/sync/test_missing.py covers the list.
@pytest.mark.nightly
def test_failed_files_are_listed_and_folder_is_paused(sync: SyncPages) -> None:
    ident, device = sync.device()
    folder = sync.shared(ident, "both")
    device.applied(device.state(sync.revision()).revision)
    device.report(folder["engineFolderId"], state="idle", errors=2, need_files=2)
    page = sync.open("/", GERMAN_PHONE)
    page.get_by_role("link", name="Ansehen").click()
    expect(page.get_by_text("2 Dateien konnten nicht empfangen werden")).to_be_visible()
    page.get_by_role("button", name="Dateien anzeigen").click()
    # This device is as silent as an agent of an earlier version.
    expect(page.get_by_role("dialog")).to_contain_text("Das Gerät antwortet nicht")
    assert_accessible(page)
    page.keyboard.press("Escape")
    device.report(folder["engineFolderId"], state="idle", unsent_items=3)
    expect(page.get_by_text("noch 3 Dateien zu senden").first).to_be_visible()
    page.get_by_role("button", name=re.compile("pausieren$")).click()
    expect(page.get_by_role("button", name=re.compile("fortsetzen$"))).to_be_visible()
    paused = device.state(sync.revision())
    assert paused.folders[0].paused
    device.applied(paused.revision)
    device.report(folder["engineFolderId"], state="paused")
    expect(page.get_by_text("Pausiert").first).to_be_visible()
    expect(page.get_by_text("noch 3 Dateien zu senden")).to_have_count(0)


@pytest.mark.nightly
def test_held_device_is_released(sync: SyncPages) -> None:
    ident, device = sync.device()
    folder = sync.shared(ident, "both")
    # Set what the delete guard would set; triggering it would need a hub that sees files deleted.
    with sqlite3.connect(sync.server.data / "sync.sqlite3", timeout=60) as db:
        db.execute("UPDATE shares SET held = 1")
    db.close()
    sync.server.api.patch(f"/api/folders/{folder['id']}", json={"label": "Pictures"})
    device.applied(device.state(sync.revision()).revision)
    page = sync.open(f"/folders/{folder['id']}")
    expect(page.get_by_text("An unusual number of files")).to_be_visible()
    page.get_by_role("button", name="Resolve").click()
    page.get_by_role("dialog").get_by_role("button", name="Allow changes").click()
    expect(page.get_by_text("An unusual number of files")).to_have_count(0)
    assert not any(each.get("held") for each in sync.server.get("/api/overview")["shares"])
