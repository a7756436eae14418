"""Extraction on PostgreSQL."""

from pathlib import Path
from typing import Any

import pytest

from quartet.downloads.app import SERVICE
from quartet.downloads.extraction import store
from tests.client import client_of
from tests.downloads.api_calls import act, add, downloads, packages
from tests.downloads.archives.make_archives import FILES, seven_zip, tree
from tests.downloads.extraction_helpers import below, offer, passwords, setting, until_extract
from tests.downloads.first_user import first_user
from tests.downloads.server import FileServer
from tests.downloads.test_captchas_archives import question

pytestmark = pytest.mark.anyio


async def test_extract_move_and_delete_on_postgresql(
    postgres_url: str, server: FileServer, tmp_path: Path
) -> None:
    making, done = tmp_path / "making", tmp_path / "done"
    making.mkdir()
    seven_zip(making, "set.7z", "-psecret", "-mhe=on")
    reach: dict[str, Any] = {"database_url": postgres_url, "allow_private_addresses": True}
    reach["cnl_port"] = 0
    async with client_of(SERVICE, tmp_path, **reach) as ada:
        await ada.post("/api/auth/setup", json=first_user(tmp_path))
        id = await add(ada, *offer(server, making), packageName="Pack", start=True)
        asked = await question(ada)
        await act(ada, f"/api/captchas/{asked['id']}/cancel")
        await until_extract(ada, id, "failed")
        await act(ada, f"/api/packages/{id}", "PATCH", json={"passwords": ["secret"]})
        await act(ada, f"/api/packages/{id}/extract")
        await until_extract(ada, id, "done")
        assert await passwords(ada) == ["secret"]
        await ada.post("/api/files/mkdir", json={"name": "shelf"})
        await act(ada, "/api/files/move", json={"paths": ["Pack"], "to": "shelf"})
        [package] = await packages(ada)
        assert package["targetDir"] == "shelf/Pack"
        await setting(ada, deleteArchives=True)
        await act(ada, "/api/files/extract", json={"paths": ["shelf"]})
        async with ada.started.kernel.events.subscribe() as events:
            while (await downloads(ada))[0]["file"] is not None:
                await anext(events)
        assert tree(done) == below(FILES, "shelf/Pack")
        await act(ada, "/api/files/delete", json={"paths": ["shelf/Pack"]})
        assert (await ada.get("/api/files")).json()["entries"][0]["size"] == 0


COPY = """
INSERT INTO packages (name, target_dir, source, collector, passwords, priority,
                      speed_limit_kib, position, created_at)
SELECT name, target_dir, source, collector, passwords, priority, speed_limit_kib, number, created_at
FROM packages, generate_series(1, 70000) AS number
"""


async def test_more_packages_than_statement_parameters(postgres_url: str, tmp_path: Path) -> None:
    (tmp_path / "done/Pack").mkdir(parents=True)
    seven_zip(tmp_path / "done/Pack", "set.7z")
    async with client_of(SERVICE, tmp_path, database_url=postgres_url, cnl_port=0) as ada:
        await ada.post("/api/auth/setup", json=first_user(tmp_path))
        await add(ada, "http://host.invalid/x.bin", packageName="Pack")
        db = ada.started.kernel.db
        await db.write(lambda tx: tx.conn.exec_driver_sql(COPY))
        await act(ada, "/api/files/extract", json={"paths": ["Pack/set.7z"]})
        assert await db.read(store.next_package, range(70_000)) is None
