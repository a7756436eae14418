"""Catalog keys are stored encrypted."""

import json
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from quartet.kernel.vault import KEY_FILE
from quartet.media.app import SERVICE
from tests.client import client_of

pytestmark = pytest.mark.anyio

KEY = "0123456789abcdef0123456789abcdef"


def stored(folder: Path) -> bytes:
    return b"".join(file.read_bytes() for file in folder.rglob("*.sqlite3*"))


async def shown(folder: Path) -> str:
    async with client_of(SERVICE, folder) as client:
        key: str = (await client.get("/api/settings")).json()["keys"]["tmdb"]
        return key


async def test_key_is_not_readable_in_database(tmp_path: Path) -> None:
    async with client_of(SERVICE, tmp_path) as client:
        await client.put("/api/settings", json={"language": "de-DE", "keys": {"tmdb": KEY}})
    assert b"de-DE" in stored(tmp_path)
    assert KEY.encode() not in stored(tmp_path)
    assert await shown(tmp_path) == "0123…cdef"


async def test_plain_key_is_encrypted_at_next_start(tmp_path: Path) -> None:
    async with client_of(SERVICE, tmp_path) as client:
        await client.put("/api/settings", json={"language": "de-DE"})
    (database,) = tmp_path.rglob("media.sqlite3")
    with closing(sqlite3.connect(database)) as conn, conn:
        # As an earlier version stored it; secure_delete clears overwritten pages.
        conn.execute("PRAGMA secure_delete = ON")
        conn.execute("UPDATE options SET value = ?", [json.dumps({"keys": {"tmdb": KEY}})])
    assert KEY.encode() in stored(tmp_path)
    assert await shown(tmp_path) == "0123…cdef"
    with closing(sqlite3.connect(database)) as conn:
        assert KEY not in conn.execute("SELECT value FROM options").fetchone()[0]


async def test_key_is_empty_without_its_key_file(tmp_path: Path) -> None:
    async with client_of(SERVICE, tmp_path) as client:
        await client.put("/api/settings", json={"keys": {"tmdb": KEY}})
    (file,) = tmp_path.rglob(KEY_FILE)
    file.unlink()
    assert await shown(tmp_path) == ""
