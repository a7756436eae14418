"""Hubs in the browser: assign a device to one, and remove one that is gone."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.browser.sync_devices import devices_of, sign_in_at
from tests.browser.visits import Look, Visit, assert_accessible_in
from tests.sync.processes import Server
from tests.sync.test_scale_assignment import ran_once
from tests.sync.two_servers import one_server, set_password

WORDS = {
    "de": {
        "save": "Speichern",
        "saved": "Gespeichert.",
        "main": "Haupt-Hub (Gestoppt)",
        "berlin": "berlin (Gestoppt)",
        "additional": "Weitere Hubs",
        "one": "1 Gerät",
        "none": "0 Geräte",
        "ask": "Hub berlin entfernen",
        "remove": "Hub entfernen",
        "cancel": "Abbrechen",
        "held": "Dem Hub berlin ist noch 1 Gerät zugewiesen.",
        "removed": "Der Hub berlin wurde entfernt.",
    },
    "en": {
        "save": "Save",
        "saved": "Saved.",
        "main": "Main hub (Stopped)",
        "berlin": "berlin (Stopped)",
        "additional": "Additional hubs",
        "one": "1 device",
        "none": "0 devices",
        "ask": "Remove hub berlin",
        "remove": "Remove hub",
        "cancel": "Cancel",
        "held": "1 device is assigned to the hub berlin.",
        "removed": "The hub berlin was removed.",
    },
}


@pytest.fixture
def sync(postgres_url: str, tmp_path: Path) -> Iterator[Server]:
    """Create a second hub that has connected once and is now off."""
    set_password(tmp_path, postgres_url)
    ran_once(postgres_url)
    with one_server(tmp_path / "one", postgres_url, tmp_path / "hub", SYNC_HUB="false") as server:
        yield server


def choose(page: Page, words: dict[str, str], hub: str) -> None:
    page.get_by_label("Hub", exact=True).select_option(label=words[hub])
    form = page.locator("form").filter(has=page.get_by_label("Hub", exact=True))
    form.get_by_role("button", name=words["save"]).click()
    expect(page.get_by_text(words["saved"], exact=True).last).to_be_visible()


def remove(page: Page, words: dict[str, str], look: Look) -> None:
    page.get_by_role("button", name=words["ask"]).click()
    dialog = page.get_by_role("dialog")
    assert_accessible_in(page, look)
    dialog.get_by_role("button", name=words["remove"]).click()


@pytest.mark.nightly
def test_device_leaves_hub_and_hub_is_removed(sync: Server, visit: Visit, look: Look) -> None:
    words = WORDS[look.language]
    with devices_of(sync.url) as devices:
        ident = devices.new().join(sync.post("/api/enrollments", {"name": "Studio"})["code"])
        page = visit(f"{sync.url}/devices/{ident}", look, sign_in_at(sync))
        choose(page, words, "berlin")
        assert_accessible_in(page, look)
        assert sync.device("Studio")["hub"] == "berlin"

        # A device still uses it.
        visit.refusals_expected = True
        page.goto(f"{sync.url}/settings")
        additional = page.locator("section").filter(
            has=page.get_by_role("heading", name=words["additional"])
        )
        expect(additional).to_contain_text(words["one"])
        remove(page, words, look)
        expect(page.get_by_text(words["held"])).to_be_visible()
        page.get_by_role("dialog").get_by_role("button", name=words["cancel"]).click()

        page.goto(f"{sync.url}/devices/{ident}")
        choose(page, words, "main")
        assert sync.device("Studio")["hub"] == ""
        page.goto(f"{sync.url}/settings")
        expect(additional).to_contain_text(words["none"])
        remove(page, words, look)
        expect(page.get_by_text(words["removed"])).to_be_visible()
        expect(additional).to_have_count(0)
        assert [each["name"] for each in sync.get("/api/hubs")] == [""]
        visit.close()
