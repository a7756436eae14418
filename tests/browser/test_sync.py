"""Sync in the browser: from the first device to a blocked one."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.browser.page_costs import forget_shifts
from tests.browser.sync_devices import Devices, devices_of, sign_in_at
from tests.browser.visits import ENGLISH_WIDE, Look, Visit, assert_accessible, assert_accessible_in
from tests.sync.processes import Server, server

WORDS = {
    "de": {
        "pair": "Gerät koppeln",
        "command": "Befehl",
        "arrived": "laptop ist gekoppelt",
        "choose": "Ordner auswählen",
        "label": "Name des Ordners",
        "cell": "Fotos auf Studio",
        "path": "Pfad auf Studio",
        "draft": "Zum Entwurf hinzufügen",
        "review": "Prüfen und anwenden",
        "absolute": "Bitte einen absoluten Pfad für das Betriebssystem des Geräts angeben.",
        "preview": "Änderungen auf 1 Gerät",
        "apply": "1 Änderung anwenden",
        "overview": "Übersicht",
        "to_go": "noch 12 Dateien",
        "ready": "Aktuell",
        "block": "Sperren",
        "blocked": "Dieses Gerät ist gesperrt.",
    },
    "en": {
        "pair": "Pair a device",
        "command": "Command",
        "arrived": "laptop is paired",
        "choose": "Choose folders",
        "label": "Folder name",
        "cell": "Fotos on Studio",
        "path": "Path on Studio",
        "draft": "Add to draft",
        "review": "Review and apply",
        "absolute": "Enter an absolute path for the operating system of the device.",
        "preview": "Changes on 1 device",
        "apply": "Apply 1 change",
        "overview": "Overview",
        "to_go": "12 files left",
        "ready": "Up to date",
        "block": "Block",
        "blocked": "This device is blocked.",
    },
}

Open = Callable[..., Page]


@pytest.fixture
def sync(tmp_path: Path) -> Iterator[Server]:
    """A sync server without a hub: these tests cover the pages, not Syncthing."""
    with server(tmp_path, SYNC_HUB="false", SYNC_LAN_PAIRING="true") as running:
        yield running


@pytest.fixture
def devices(sync: Server) -> Iterator[Devices]:
    with devices_of(sync.url) as devices:
        yield devices


@pytest.fixture
def signed_in(sync: Server, visit: Visit) -> Iterator[Open]:
    def go(path: str = "/", look: Look = ENGLISH_WIDE) -> Page:
        page = visit(sync.url + path, look, sign_in_at(sync))
        expect(page.locator("nav")).to_be_visible()
        return page

    yield go
    # Close the page first: it would log an error when the server stops.
    visit.close()


def paired(sync: Server, devices: Devices, name: str) -> int:
    return devices.new().join(sync.post("/api/enrollments", {"name": name})["code"])


def test_first_device_is_paired_shared_and_blocked(
    signed_in: Open, sync: Server, devices: Devices, visit: Visit, look: Look
) -> None:
    words = WORDS[look.language]
    visit.refusals_expected = True
    page = signed_in("/", look)
    page.get_by_role("button", name=words["pair"]).last.click()
    dialog = page.get_by_role("dialog")
    code = dialog.get_by_label(words["command"], exact=True).inner_text().split(" ")[-1]
    assert_accessible_in(page, look)
    studio = devices.new()
    studio.join(code)

    # The dialog continues automatically.
    expect(page.get_by_role("heading", name=words["arrived"])).to_be_visible()
    forget_shifts(page)
    dialog.get_by_label("Name").fill("Studio")
    dialog.get_by_role("button", name=words["choose"]).click()
    # The first folder is for this device: its name, its path and the review follow each other.
    page.get_by_label(words["label"]).fill("Fotos")
    assert_accessible_in(page, look)
    page.keyboard.press("Enter")

    # An invalid path is reported at its cell, and no input is lost.
    page.get_by_label(words["path"]).fill("photos")
    page.get_by_role("button", name=words["draft"]).click()
    cell = page.get_by_role("button", name=words["cell"])
    expect(cell).to_contain_text(words["absolute"])
    assert_accessible_in(page, look)
    cell.click()
    page.get_by_label(words["path"]).fill("/home/robin/photos")
    page.get_by_role("button", name=words["draft"]).click()
    page.get_by_role("button", name=words["review"]).click()
    expect(page.get_by_role("heading", name=words["preview"])).to_be_visible()
    assert_accessible_in(page, look)
    page.get_by_role("button", name=words["apply"]).click()
    expect(page.get_by_role("button", name=words["review"])).to_have_count(0)

    state = studio.state(sync.get("/api/overview")["revision"])
    (folder,) = state.folders
    assert (folder.label, folder.path) == ("Fotos", "/home/robin/photos")
    studio.applied(state.revision)

    # What the device reports is shown at once.
    page.get_by_role("link", name=words["overview"]).first.click()
    studio.report(folder.id, state="syncing", bytes=88, need_files=12, need_bytes=12)
    # The first link is in the star.
    card = page.get_by_role("link").filter(has_text="Studio").last
    expect(card).to_contain_text(words["to_go"])
    studio.report(folder.id, state="idle", bytes=100)
    expect(card).to_contain_text(words["ready"])
    assert_accessible_in(page, look)

    card.click()
    page.get_by_role("button", name=words["block"], exact=True).click()
    page.get_by_role("dialog").get_by_role("button", name=words["block"], exact=True).click()
    expect(page.get_by_text(words["blocked"])).to_be_visible()
    assert studio.rejected() == "blocked"
    assert_accessible_in(page, look)


@pytest.mark.nightly
def test_device_on_network_is_compared_and_approved(signed_in: Open, devices: Devices) -> None:
    page = signed_in()
    kitchen = devices.new(host_name="kitchen")
    fingerprint = kitchen.ask()
    waiting = page.get_by_role("region", name="Devices waiting for approval")
    expect(waiting).to_contain_text(fingerprint)
    assert_accessible(page)
    waiting.get_by_role("button", name="Approve").click()
    kitchen.approved()
    expect(page.get_by_role("link").filter(has_text="kitchen").last).to_contain_text("Online")
    expect(waiting).to_have_count(0)


@pytest.mark.nightly
def test_draft_is_kept_when_others_change_configuration(
    signed_in: Open, sync: Server, devices: Devices
) -> None:
    laptop, desk = (paired(sync, devices, name) for name in ("Laptop", "Desk"))
    folder = sync.post("/api/folders", {"label": "Photos"})["id"]
    page = signed_in("/sharing")
    mine = page.get_by_role("button", name="Photos on Laptop")

    # With the keyboard only, as in a table.
    mine.focus()
    page.keyboard.press("ArrowRight")
    expect(page.get_by_role("button", name="Photos on Desk")).to_be_focused()
    page.keyboard.press("ArrowLeft")
    page.keyboard.press("Enter")
    page.get_by_label("Path on Laptop").fill("/home/robin/mine")
    page.keyboard.press("Enter")
    expect(mine).to_contain_text("before: Off")

    def share(device: int, path: str) -> None:
        row = {"folderId": folder, "deviceId": device, "mode": "both", "path": path}
        sync.post("/api/shares", {"changes": [row]})

    share(desk, "/srv/photos")
    expect(page.get_by_role("button", name="Photos on Desk")).to_contain_text("/srv/photos")
    expect(mine).to_contain_text("before: Off")
    share(laptop, "/home/robin/theirs")
    expect(mine).to_contain_text("Changed by another user: Both ways")
    assert_accessible(page)

    page.get_by_role("button", name="Review and apply").click()
    preview = page.get_by_role("dialog")
    expect(preview).to_contain_text("/home/robin/theirs → /home/robin/mine")
    preview.get_by_role("button", name="Apply 1 change").click()
    expect(page.get_by_text("Applied. The devices update automatically.")).to_be_visible()
    paths = {share["path"] for share in sync.get("/api/overview")["shares"]}
    assert paths == {"/srv/photos", "/home/robin/mine"}


@pytest.mark.nightly
def test_earlier_revision_is_restored(
    signed_in: Open, sync: Server, devices: Devices, visit: Visit
) -> None:
    # The page may request a folder just after it was removed.
    visit.refusals_expected = True
    paired(sync, devices, "Laptop")
    folder = sync.post("/api/folders", {"label": "Photos"})["id"]
    page = signed_in(f"/folders/{folder}")
    page.get_by_role("button", name="Remove folder").click()
    dialog = page.get_by_role("dialog")
    expect(dialog).to_contain_text("All files stay on the devices")
    dialog.get_by_role("button", name="Remove folder").click()
    expect(page.get_by_text("Which folder do you want to sync?")).to_be_visible()

    page.get_by_role("link", name="History").click()
    assert_accessible(page)
    row = page.get_by_role("listitem").filter(has_text="Folder Photos was added")
    row.get_by_role("button", name="Restore this revision").click()
    page.get_by_role("dialog").get_by_role("button", name="Restore this revision").click()
    row = page.get_by_role("listitem").filter(has_text="Revision 2 restored")
    expect(row).to_contain_text("Current")
    assert [each["label"] for each in sync.get("/api/overview")["folders"]] == ["Photos"]

    page.get_by_role("link", name="Activity").click()
    expect(page.get_by_text("Laptop connected")).to_be_visible()
    assert_accessible(page)
