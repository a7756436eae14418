"""A phone without an agent is added in the browser, and gets an encrypted copy of a folder."""

from pathlib import Path

import pytest
from playwright.sync_api import expect

from tests.browser.sync_devices import sign_in_at
from tests.browser.visits import GERMAN_PHONE, Visit, assert_accessible
from tests.sync.agent import engine_id
from tests.sync.engines import program_path
from tests.sync.processes import server


@pytest.mark.nightly
def test_phone_is_added_by_id_and_gets_encrypted_folder(tmp_path: Path, visit: Visit) -> None:
    program_path()
    with server(tmp_path) as sync:
        page = visit(sync.url, GERMAN_PHONE, sign_in_at(sync))
        visit.refusals_expected = True
        page.get_by_role("button", name="Gerät koppeln").last.click()
        page.get_by_text("Smartphone oder NAS").click()
        dialog = page.get_by_role("dialog")
        # Opening the dialog has started the hub.
        expect(dialog.get_by_text("tcp://127.0.0.1:")).to_be_visible(timeout=60_000)
        assert sync.get("/api/invitation")["engineId"] in dialog.inner_text()
        dialog.get_by_text("Über die Syncthing-ID hinzufügen").click()
        dialog.get_by_label("Syncthing-ID", exact=True).fill("ABC")
        dialog.get_by_label("Name").fill("Pixel")
        dialog.get_by_role("button", name="Gerät hinzufügen").click()
        expect(dialog.get_by_text("Das ist keine Syncthing-ID.")).to_be_visible()
        assert_accessible(page)
        folder = sync.post("/api/folders", {"label": "Fotos"})
        dialog.get_by_label("Syncthing-ID", exact=True).fill(engine_id())
        dialog.get_by_role("button", name="Gerät hinzufügen").click()
        page.get_by_role("button", name="Ordner auswählen").click()
        page.get_by_role("button", name="Fotos auf Pixel").click()
        expect(dialog.get_by_text("Nur empfangen", exact=True)).to_have_count(0)
        dialog.get_by_text("Verschlüsselt", exact=True).click()
        dialog.get_by_label("Passwort für die Verschlüsselung").fill("Sandburg")
        assert_accessible(page)
        dialog.get_by_role("button", name="Zum Entwurf hinzufügen").click()
        page.get_by_role("button", name="Prüfen und anwenden").click()
        dialog.get_by_role("button", name="1 Änderung anwenden").click()
        expect(dialog).to_be_hidden()
        [share] = sync.get("/api/overview")["shares"]
        assert (share["mode"], share["folderId"]) == ("encrypted", folder["id"])
        page.get_by_role("link", name="Pixel").click()
        expect(page.get_by_text("Wird auf dem Gerät selbst eingestellt")).to_be_visible()
        assert_accessible(page)
        visit.close()
