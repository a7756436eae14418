"""Looking after devices in the browser: speed, notifications, a copy of it all, and repairs."""

import json
import sqlite3
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.browser.sync_devices import Device, Devices, devices_of, sign_in_at
from tests.browser.visits import ENGLISH_WIDE, GERMAN_PHONE, Look, Visit, assert_good
from tests.sync.fleet import Server, server


@dataclass(frozen=True)
class Desk:
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
        """A folder the device has."""
        folder: dict[str, str] = self.server.post("/api/folders", {"label": "Photos"})
        row = {"folderId": folder["id"], "deviceId": device, "mode": mode, "path": "/home/x/p"}
        self.server.post("/api/shares", {"changes": [row]})
        return folder

    def revision(self) -> int:
        found: int = self.server.get("/api/overview")["revision"]
        return found


@pytest.fixture
def desk(tmp_path: Path, visit: Visit) -> Iterator[Desk]:
    with server(tmp_path, SYNC_HUB="false") as running, devices_of(running.url) as devices:
        yield Desk(running, devices, visit)
        # An open page would complain about the server that goes away.
        visit.close()


def test_a_device_is_slowed_down(desk: Desk) -> None:
    ident, _ = desk.device()
    page = desk.open(f"/devices/{ident}")
    upload = page.get_by_label("Upload, KiB/s").first
    upload.fill("fast")
    expect(page.get_by_text("A whole number")).to_be_visible()
    upload.fill("250")
    assert_good(page)
    form = page.locator("form").filter(has=page.get_by_label("Upload, KiB/s"))
    form.get_by_role("button", name="Save").click()
    expect(page.get_by_text("Saved.", exact=True)).to_be_visible()
    traffic = desk.server.device("Studio")["traffic"]
    assert (traffic["uploadKib"], traffic["paused"]) == (250, False)


def test_somebody_is_told_and_the_address_stays_a_secret(desk: Desk) -> None:
    page = desk.open("/settings", GERMAN_PHONE)
    page.get_by_role("button", name="Empfänger hinzufügen").click()
    page.get_by_label("Benachrichtigungs-URL (Apprise)").fill("json://hook.example.org/token-of-mine")
    assert_good(page)
    form = page.locator("form").filter(has=page.get_by_label("Benachrichtigungs-URL (Apprise)"))
    form.get_by_role("button", name="Speichern").click()
    expect(page.get_by_text("Gespeichert.", exact=True)).to_be_visible()
    assert len(desk.server.get("/api/notices")["targets"]) == 1
    assert "token-of-mine" not in page.content()


def test_a_configuration_moves_to_a_new_place(desk: Desk, tmp_path: Path) -> None:
    ident, _ = desk.device()
    folder = desk.shared(ident, "both")
    file = tmp_path / "export.json"
    file.write_text(json.dumps(desk.server.get("/api/config/export")))
    assert desk.server.api.delete(f"/api/folders/{folder['id']}").is_success
    page = desk.open("/settings")
    (tmp_path / "none.json").write_text("nothing of ours")
    picker = page.locator("input[type=file]")
    picker.set_input_files(tmp_path / "none.json")
    expect(page.get_by_role("dialog")).to_have_count(0)
    picker.set_input_files(file)
    dialog = page.get_by_role("dialog")
    expect(dialog).to_contain_text("Import this configuration?")
    assert_good(page)
    dialog.get_by_role("button", name="Import").click()
    expect(page.get_by_text("Imported.")).to_be_visible()
    assert [each["label"] for each in desk.server.get("/api/overview")["folders"]] == ["Photos"]


def test_what_was_changed_against_the_mode_is_undone(desk: Desk) -> None:
    ident, device = desk.device()
    folder = desk.shared(ident, "receive")
    device.applied(device.state(desk.revision()).revision)
    device.report(folder["engineFolderId"], state="idle", drifted=1)
    page = desk.open(f"/folders/{folder['id']}")
    page.get_by_role("button", name="Undo local changes").click()
    assert_good(page)
    page.get_by_role("dialog").get_by_role("button", name="Undo local changes").click()
    expect(page.get_by_text("Applied.")).to_be_visible()
    wish = device.state(desk.revision())
    assert wish.folders[0].repair
    device.applied(wish.revision)
    device.report(folder["engineFolderId"], state="idle")
    expect(page.get_by_role("button", name="Undo local changes")).to_have_count(0)


def test_a_device_that_was_held_goes_on(desk: Desk) -> None:
    ident, device = desk.device()
    folder = desk.shared(ident, "both")
    # As the guard does it; it would need a hub that sees files go.
    with sqlite3.connect(desk.server.data / "sync.sqlite3", timeout=10) as db:
        db.execute("UPDATE shares SET held = 1")
    db.close()
    desk.server.api.patch(f"/api/folders/{folder['id']}", json={"label": "Pictures"})
    device.applied(device.state(desk.revision()).revision)
    page = desk.open(f"/folders/{folder['id']}")
    expect(page.get_by_text("Unusually many files")).to_be_visible()
    page.get_by_role("button", name="Let it go on").click()
    page.get_by_role("dialog").get_by_role("button", name="Let it go on").click()
    expect(page.get_by_text("Unusually many files")).to_have_count(0)
    assert not any(each.get("held") for each in desk.server.get("/api/overview")["shares"])
