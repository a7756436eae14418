"""Proxy, archive and download passwords and notification addresses are encrypted on disk."""

import sqlite3
from pathlib import Path

import pytest

from quartet.downloads.app import SERVICE
from quartet.downloads.hosters.store import password_of
from quartet.downloads.settings import DownloadsSettings
from quartet.kernel.backup import back_up, restore
from tests.client import Client
from tests.downloads.conftest import logged_in

pytestmark = pytest.mark.anyio

PROXY = "http://ada:proxy-secret-1@proxy.example:3128"
LINKS = {
    "links": "http://files.example/a.rar",
    "packageName": "P",
    "passwords": ["archive-secret-2"],
    "downloadPassword": "download-secret-3",
}
SECRETS = [b"proxy-secret-1", b"archive-secret-2", b"download-secret-3", b"list-secret-4"]


async def store_secrets(client: Client) -> None:
    assert (await client.put("/api/settings", json={"proxy": PROXY})).status_code == 200
    passwords = {"passwords": ["list-secret-4"]}
    await client.put("/api/settings/archive-passwords", json=passwords)
    assert (await client.post("/api/links", json=LINKS)).status_code < 300


async def require_secrets(client: Client) -> None:
    """Check that the service can still read the secrets of `store_secrets`."""
    assert client.started.kernel.proxy.address == PROXY
    found = (await client.get("/api/settings/archive-passwords")).json()
    assert found == {"passwords": ["list-secret-4"]}
    db = client.started.kernel.db
    assert await db.read(password_of, 1) == "download-secret-3"
    page = (await client.get("/api/packages", params={"view": "collector"})).json()
    assert [each["hasPasswords"] for each in page["packages"]] == [True]


def secrets_on_disk(data: Path) -> list[bytes]:
    files = [path.read_bytes() for path in data.glob("downloads.sqlite3*")]
    assert files
    return [secret for secret in SECRETS if any(secret in file for file in files)]


def store_as_plain_text(data: Path) -> None:
    """Store the secrets as a version without encryption did."""
    with sqlite3.connect(data / "downloads.sqlite3") as conn:
        conn.execute("UPDATE options SET value = json_set(value, '$.proxy', ?)", (PROXY,))
        conn.execute("UPDATE archive_passwords SET password = 'list-secret-4'")
        conn.execute(
            "UPDATE packages SET passwords = '[\"archive-secret-2\"]',"
            " download_password = 'download-secret-3'"
        )
        conn.execute("PRAGMA user_version = 0")
    conn.close()


async def test_passwords_are_not_readable_in_database_file(tmp_path: Path) -> None:
    async with logged_in(tmp_path, database_url=None) as client:
        await store_secrets(client)
        assert secrets_on_disk(tmp_path) == []
        await require_secrets(client)
    async with logged_in(tmp_path, database_url=None) as client:
        await require_secrets(client)


async def test_plain_passwords_of_earlier_version_are_encrypted_at_start(tmp_path: Path) -> None:
    async with logged_in(tmp_path, database_url=None) as client:
        await store_secrets(client)
    store_as_plain_text(tmp_path)
    assert len(secrets_on_disk(tmp_path)) == len(SECRETS)
    async with logged_in(tmp_path, database_url=None) as client:
        assert secrets_on_disk(tmp_path) == []
        await require_secrets(client)


async def test_restored_backup_contains_readable_passwords(tmp_path: Path) -> None:
    source, target = tmp_path / "source", tmp_path / "target"
    async with logged_in(source, database_url=None) as client:
        await store_secrets(client)
    file = tmp_path / "backup.tar.gz"
    back_up(SERVICE, DownloadsSettings(data=source), file)
    restore(SERVICE, DownloadsSettings(data=target), file)
    async with logged_in(target, database_url=None) as client:
        await require_secrets(client)


async def test_lost_key_file_keeps_service_usable_and_the_proxy_in_place(tmp_path: Path) -> None:
    async with logged_in(tmp_path, database_url=None) as client:
        await store_secrets(client)
    (tmp_path / "keys" / "secrets.key").write_bytes(bytes(32))
    async with logged_in(tmp_path, database_url=None) as client:
        # Without the password the proxy refuses requests; they must not go out without a proxy.
        assert (client.started.kernel.proxy.address or "").startswith("locked:")
        assert (await client.get("/api/settings")).status_code == 200
        assert (await client.get("/api/packages?view=collector")).status_code == 200
        assert (await client.put("/api/settings", json={"proxy": PROXY})).json()["proxy"]


async def test_notification_addresses_are_not_readable_in_database_file(tmp_path: Path) -> None:
    async with logged_in(tmp_path, database_url=None) as client:
        target = {"name": "me", "url": "json://files.example/token-secret-5"}
        settings = (await client.get("/api/notices")).json() | {"targets": [target]}
        answer = await client.put("/api/notices", json=settings)
        assert answer.status_code == 200, answer.text
    files = [path.read_bytes() for path in tmp_path.glob("downloads.sqlite3*")]
    assert not any(b"token-secret-5" in file for file in files)
