"""Limits that only apply to PostgreSQL."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from tests.client import Client
from tests.downloads.api_calls import act, add, packages, until, until_all
from tests.downloads.conftest import logged_in
from tests.downloads.server import FileServer

pytestmark = pytest.mark.anyio

# A statement can have 65,535 parameters.
MANY = 66_000

PACKAGES = """
    INSERT INTO packages (name, target_dir, source, collector, passwords, priority,
        speed_limit_kib, position, created_at)
    SELECT 'P', 'P', 'web', {collector}, '[]', 0, 0, n, 0 FROM generate_series(1, {count}) n
    RETURNING id
"""
DOWNLOADS = """
    INSERT INTO downloads (package_id, url, host, status, online, check_wanted, name, bytes_done,
        attempts, created_at, priority, speed_limit_kib, position)
    SELECT {package}, 'http://host.invalid/' || n, 'host.invalid', '{status}', 'unknown', false,
        'x', 0, 0, 0, 0, 0, n FROM generate_series(1, {count}) n
    RETURNING id
"""


@pytest.fixture
async def on_postgresql(postgres_url: str, tmp_path: Path) -> AsyncIterator[Client]:
    async with logged_in(tmp_path, database_url=postgres_url) as client:
        yield client


async def insert(client: Client, query: str, **values: object) -> list[int]:
    return await client.started.kernel.db.write(
        lambda tx: list(tx.conn.exec_driver_sql(query.format(**values)).scalars())
    )


async def test_checksum_list_with_upper_case_name(
    on_postgresql: Client, server: FileServer
) -> None:
    await on_postgresql.put("/api/settings", json={"maxParallel": 1})
    links = [server.put("film.bin", b"x"), server.put("FILM.SFV", b"film.bin 00000000\r\n")]
    await add(on_postgresql, *links, packageName="P", start=True)
    shown = await until(on_postgresql, lambda all: all[0]["hashOk"] is False)
    assert shown[0]["error"]["code"] == "hash_wrong"
    await until_all(on_postgresql, "finished")


@pytest.mark.nightly
async def test_package_with_very_many_downloads(on_postgresql: Client) -> None:
    [package] = await insert(on_postgresql, PACKAGES, count=1, collector=True)
    ids = await insert(
        on_postgresql, DOWNLOADS, package=package, status="collected", count=MANY + 1
    )
    chosen = {"downloadIds": ids[:MANY]}
    await act(on_postgresql, f"/api/packages/{package}/start", json=chosen)
    [started] = await packages(on_postgresql, "queue", limit=1)
    assert started["summary"]["downloads"] == MANY
    gone = {"files": "true"}
    await act(on_postgresql, f"/api/packages/{started['id']}", "DELETE", params=gone)
    assert await packages(on_postgresql, "queue") == []


@pytest.mark.nightly
async def test_very_many_packages(on_postgresql: Client) -> None:
    ids = await insert(on_postgresql, PACKAGES, count=MANY, collector=False)
    await insert(on_postgresql, DOWNLOADS, package="n", status="finished", count=MANY)
    strangers = {"ids": [id + MANY for id in ids]}
    refused = await on_postgresql.code("POST", "/api/packages/order", json=strangers)
    assert refused == (404, "not_found")
    await act(on_postgresql, "/api/downloads/clear-finished")
    assert await insert(on_postgresql, "SELECT id FROM packages") == []
