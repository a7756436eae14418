"""An admin invites a person, who chooses a password and sees only the folders of one device."""

from pathlib import Path

import pytest
from playwright.sync_api import expect

from tests.browser.sync_devices import devices_of, sign_in_at
from tests.browser.visits import ENGLISH_WIDE, GERMAN_PHONE, Visit, assert_accessible
from tests.sync.processes import server

PROVIDER = {
    "SYNC_OIDC_ISSUER": "https://login.example.org",
    "SYNC_OIDC_CLIENT_ID": "quartet",
    "SYNC_OIDC_NAME": "Example",
}


@pytest.mark.nightly
def test_invited_person_sees_folders_of_own_device(tmp_path: Path, visit: Visit) -> None:
    with server(tmp_path, SYNC_HUB="false", **PROVIDER) as sync, devices_of(sync.url) as devices:
        for label in ("Photos", "Music"):
            folder = sync.post("/api/folders", {"label": label})["id"]
            name = {"name": f"{label} laptop"}
            device = devices.new().join(sync.post("/api/enrollments", name)["code"])
            row = {"folderId": folder, "deviceId": device, "mode": "both", "path": f"/{label}"}
            sync.post("/api/shares", {"changes": [row]})
        admin = visit(f"{sync.url}/settings", ENGLISH_WIDE, sign_in_at(sync))
        admin.get_by_role("button", name="Add account").click()
        dialog = admin.get_by_role("dialog")
        dialog.get_by_label("User name").fill("ada")
        dialog.get_by_label("Photos laptop").check()
        dialog.get_by_role("button", name="Save").click()
        expect(dialog.get_by_text("It can be used once")).to_be_visible()
        assert_accessible(admin)
        link = dialog.get_by_text("/invite#").inner_text()
        person = visit(link, GERMAN_PHONE)
        expect(person.get_by_role("heading", name="Willkommen, ada")).to_be_visible()
        expect(person.get_by_role("button", name="Weiter mit Example")).to_be_visible()
        person.get_by_label("Passwort", exact=True).fill("four strings in tune")
        assert_accessible(person)
        person.get_by_role("button", name="Passwort festlegen und anmelden").click()
        expect(person.get_by_role("link", name="Photos").first).to_be_visible()
        expect(person.get_by_text("Music")).to_have_count(0)
        # A person without the role Administrator has no matrix, and the server refuses a draft.
        person.goto(f"{sync.url}/folders/1")
        expect(person.get_by_role("heading", name="Auf diesen Geräten")).to_be_visible()
        expect(person.get_by_role("link", name="Freigaben bearbeiten")).to_have_count(0)
        person.goto(f"{sync.url}/sharing")
        expect(person.get_by_role("button", name="Prüfen und anwenden")).to_have_count(0)
        token = person.request.get(f"{sync.url}/api/session").json()["csrfToken"]
        headers = {"x-csrf-token": token}
        body: dict[str, list[str]] = {"changes": []}
        draft = person.request.post(f"{sync.url}/api/shares", data=body, headers=headers)
        assert (draft.status, draft.json()["code"]) == (403, "role_missing")
        # The link worked once.
        visit.refusals_expected = True
        again = visit(link, ENGLISH_WIDE)
        expect(again.get_by_text("This invitation link is not valid.")).to_be_visible()
        visit.close()
