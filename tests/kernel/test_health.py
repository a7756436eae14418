"""The health check notices a database that is no longer there."""

from pathlib import Path

import pytest
from sqlalchemy import text

from quartet.media.app import SERVICE
from tests.client import quiet_client_of

pytestmark = pytest.mark.anyio


@pytest.mark.parametrize("replaced", [False, True])
async def test_lost_database_file_is_unhealthy(tmp_path: Path, replaced: bool) -> None:
    async with quiet_client_of(SERVICE, tmp_path, database_url=None) as client:
        assert (await client.get("/api/health")).status_code == 200
        [file] = tmp_path.glob("*.sqlite3")
        file.rename(tmp_path / "elsewhere")
        if replaced:
            file.write_bytes(b"")
        for path in ("/api/health", "/api/ready"):
            assert await client.code("GET", path) == (503, "database_lost")


async def test_lost_tables_are_unhealthy(tmp_path: Path) -> None:
    async with quiet_client_of(SERVICE, tmp_path) as client:
        db = client.started.kernel.db
        db.write_sync(lambda tx: tx.conn.execute(text("DROP TABLE alembic_version")))
        assert (await client.get("/api/health")).status_code == 500
