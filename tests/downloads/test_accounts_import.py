"""Accounts of JDownloader are imported."""

from pathlib import Path

import pytest

from tests.client import Client
from tests.downloads.accounts_file import accounts_file
from tests.downloads.plugins import plugin_text, put_plugin, until_checked

pytestmark = pytest.mark.anyio

SECRET = "tr0ub4dor-und-3"
PLUGIN = plugin_text("""
    account = AccountForm(secret_label=Text(de="Passwort", en="Password"))

    async def resolve(self, link, ctx):
        raise Fatal

    async def check_account(self, ctx):
        return AccountState(True)
""")


async def test_accounts_are_imported_and_others_reported(ada: Client, tmp_path: Path) -> None:
    put_plugin(tmp_path, PLUGIN)
    given = {
        "demo.invalid": [
            {"user": "ada", "password": SECRET, "enabled": True},
            {"user": "bob", "password": "x", "enabled": False},
            {"user": "none", "password": "", "enabled": True},
        ],
        "www.demo.invalid": [{"user": "ada", "password": SECRET, "enabled": True}],
        "unknown.invalid": [{"user": "zoe", "password": "y", "enabled": True}],
        # A built-in plugin without accounts.
        "dropbox.com": [{"user": "eve", "password": "y"}],
    }
    content = accounts_file(given)
    answer = await ada.post("/api/accounts/import", content=content)
    assert answer.status_code == 200, answer.text
    shown = answer.json()
    added = [(each["pluginId"], each["user"]) for each in shown["added"]]
    assert added == [("demo", "ada"), ("demo", "bob")]
    refused = [(each["host"], each["user"], each["error"]["code"]) for each in shown["refused"]]
    assert refused == [
        ("demo.invalid", "none", "secret_missing"),
        ("www.demo.invalid", "ada", "account_exists"),
        ("unknown.invalid", "zoe", "hoster_unknown"),
        ("dropbox.com", "eve", "hoster_unknown"),
    ]
    stored = {each["user"]: each for each in await until_checked(ada)}
    assert (stored["ada"]["status"], stored["bob"]["enabled"]) == ("valid", False)
    assert SECRET not in answer.text
    for path in tmp_path.glob("*.db*"):
        assert SECRET.encode() not in path.read_bytes(), path
    again = (await ada.post("/api/accounts/import", content=content)).json()
    assert (again["added"], len(again["refused"])) == ([], 6)


async def test_files_without_accounts_are_refused(ada: Client) -> None:
    for content in (b"", b"x", b"{}" * 100, accounts_file({}), accounts_file({"a": 1, "b": [2]})):
        found = await ada.code("POST", "/api/accounts/import", content=content)
        assert found == (422, "no_accounts"), content
