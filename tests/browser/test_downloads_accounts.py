"""Hoster accounts and plugins."""

import pytest
from playwright.sync_api import FilePayload, Page, expect

from tests.browser.downloads_service import DownloadsService
from tests.browser.visits import Look, assert_accessible, assert_accessible_in
from tests.downloads.accounts_file import accounts_file

WORDS = {
    "de": {
        "empty": "Noch keine Hoster-Konten",
        "add": "Konto hinzufügen",
        "find": "Hoster suchen",
        "user": "E-Mail",
        "secret": "Passwort",
        "help": "Das der Website.",
        "missing": "Passwort oder Schlüssel fehlt.",
        "refused": "Falsches Passwort.",
        "edit": "Konto bearbeiten",
        "save": "Speichern",
        "valid": "Gültig",
        "traffic": "25 GB",
        "active": "Aktiv",
        "off": "Deaktiviert",
        "delete": "Konto löschen",
        "confirm": "Löschen",
        "import": "Aus JDownloader importieren",
    },
    "en": {
        "empty": "No hoster accounts yet",
        "add": "Add account",
        "find": "Find a hoster",
        "user": "E-mail",
        "secret": "Password",
        "help": "The one of the website.",
        "missing": "Enter a password or key.",
        "refused": "Wrong password.",
        "edit": "Edit account",
        "save": "Save",
        "valid": "Valid",
        "traffic": "25 GB",
        "active": "Active",
        "off": "Disabled",
        "delete": "Delete account",
        "confirm": "Delete",
        "import": "Import from JDownloader",
    },
}


@pytest.mark.nightly
def test_hoster_account_is_added_changed_and_removed(service: DownloadsService, look: Look) -> None:
    words = WORDS[look.language]
    service.visit.refusals_expected = True
    page = service.open("/accounts", look)
    expect(page.get_by_role("heading", name=words["empty"])).to_be_visible()
    assert_accessible_in(page, look)

    page.get_by_role("button", name=words["add"]).click()
    dialog = page.get_by_role("dialog")
    search = dialog.get_by_label(words["find"])
    expect(search).to_be_focused()
    search.fill("demo")
    expect(dialog.get_by_role("button", name="Demo")).to_be_visible()
    assert_accessible_in(page, look)
    page.keyboard.press("Enter")
    user = dialog.get_by_label(words["user"])
    expect(user).to_be_focused()
    expect(dialog.get_by_text(words["help"])).to_be_visible()
    user.fill("robin@example.org")
    page.keyboard.press("Enter")
    expect(dialog.get_by_role("alert")).to_contain_text(words["missing"])
    secret = dialog.get_by_label(words["secret"], exact=True)
    expect(secret).to_be_focused()
    assert_accessible_in(page, look)
    secret.fill("wrong")
    page.keyboard.press("Enter")

    card = page.get_by_role("region", name="Demo")
    expect(card.get_by_role("alert")).to_contain_text(words["refused"])
    assert_accessible_in(page, look)
    card.get_by_role("button", name=words["edit"]).click()
    expect(user).to_have_value("robin@example.org")
    expect(secret).to_have_value("")
    secret.fill("right")
    dialog.get_by_role("button", name=words["save"]).click()
    expect(card.get_by_text(words["valid"], exact=True)).to_be_visible()
    expect(card.get_by_text(words["traffic"])).to_be_visible()
    expect(card.get_by_text("2033")).to_be_visible()

    card.get_by_label(words["active"]).click()
    expect(card.get_by_text(words["off"])).to_be_visible()
    assert_accessible_in(page, look)
    card.get_by_role("button", name=words["delete"]).click()
    dialog.get_by_role("button", name=words["confirm"], exact=True).click()
    expect(page.get_by_role("heading", name=words["empty"])).to_be_visible()
    import_accounts(page, look)


def import_accounts(page: Page, look: Look) -> None:
    words = WORDS[look.language]
    dialog = page.get_by_role("dialog")
    page.get_by_role("button", name=words["import"]).click()
    assert_accessible_in(page, look)
    account = [{"user": "robin@example.org", "password": "right", "enabled": True}]
    content = accounts_file({"demo.invalid": account, "other.invalid": account})
    picker = page.locator("input[type=file][accept='.ejs']")
    picker.set_input_files(FilePayload(name="a.ejs", mimeType="", buffer=content))
    expect(dialog.get_by_role("listitem")).to_contain_text("other.invalid")
    assert_accessible_in(page, look)
    page.keyboard.press("Escape")
    card = page.get_by_role("region", name="Demo")
    expect(card.get_by_text(words["valid"], exact=True)).to_be_visible()


@pytest.mark.nightly
def test_broken_plugin_is_reported_and_reloaded(service: DownloadsService) -> None:
    folder = service.data / "plugins"
    (folder / "broken.py").write_text("def broken(:")
    own = (folder / "demo.py").read_text()
    (folder / "mine.py").write_text(own.replace('"demo"', '"pixeldrain"', 1))
    page = service.open("/plugins")
    page.get_by_role("button", name="Reload").click()
    expect(page.get_by_role("alert")).to_contain_text("broken.py could not be loaded")
    expect(page.get_by_role("heading", level=2).first).to_have_text("1 file could not be loaded")
    expect(page.get_by_label("Plugin folder")).to_have_text(str(folder))
    mine = page.get_by_role("listitem").filter(has_text="mine.py")
    expect(mine).to_contain_text("Overrides the built-in version")
    assert_accessible(page)

    (folder / "broken.py").unlink()
    page.get_by_role("button", name="Reload").click()
    expect(page.get_by_role("alert")).to_have_count(0)
    page.get_by_role("searchbox").fill("real-debrid")
    plugins = page.get_by_role("region", name="Plugins").get_by_role("listitem")
    expect(plugins).to_have_count(1)
    expect(plugins).to_contain_text("Multi-hoster")
    assert "q=real-debrid" in page.url
