"""Disk usage, backups, and a vacuum during writes."""

import asyncio
import io
import shutil
import tarfile
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from quartet.kernel.backup import restore
from quartet.wind.app import SERVICE
from quartet.wind.observations.service import Observations
from quartet.wind.observations.types import Measurement
from tests.client import Client
from tests.wind.account_setup import service_of
from tests.wind.admins import admin_at
from tests.wind.signed_in_users import signed_in_user

pytestmark = pytest.mark.anyio

BACKUP = "/api/admin/storage/backup"
ESCAPES = (
    "..%2f..%2fwind.sqlite3",
    "%2e%2e%2fwind.sqlite3",
    "wind.sqlite3",
    "%2e%2e",
    "%2fetc%2fpasswd",
    "wind-link.tar.gz",
    "wind-.tar.gz%00",
    "*",
)


@pytest.fixture
async def browser(tmp_path: Path) -> AsyncIterator[Client]:
    async with admin_at(tmp_path / "data") as browser:
        yield browser


def measurements(now: float, stations: range) -> list[tuple[int, Measurement]]:
    times = [int(now) - 600 * step for step in range(100)]
    return [
        (station, Measurement(time, 12.0, 230, "metar", 18.0))
        for station in stations
        for time in reversed(times)
    ]


async def test_storage_lists_database_and_folders(browser: Client, tmp_path: Path) -> None:
    folder = tmp_path / "data" / "grids" / "icon-eu"
    folder.mkdir(parents=True)
    (folder / "x").write_bytes(b"x" * 1000)
    (folder / "loop").symlink_to("/")
    state = (await browser.get("/api/admin/storage")).json()
    kind = browser.started.kernel.db.kind
    assert state["database"]["kind"] == kind and state["database"]["bytes"] > 50_000
    assert 1000 <= state["folders"]["grids"] < 1100
    assert 0 < state["disk"]["free"] <= state["disk"]["total"]
    assert (state["backups"], state["backupsKept"], state["textures"]) == ([], 5, 0)


async def test_vacuum_frees_space_during_concurrent_writes(browser: Client) -> None:
    db, now = browser.started.kernel.db, browser.started.kernel.started_at
    observations = service_of(browser, Observations)
    await observations.add(measurements(now, range(1, 201)))
    await db.write(lambda tx: tx.conn.exec_driver_sql("DELETE FROM measurements"))

    async def come_in(first: int) -> int:
        rows = measurements(now, range(first, first + 10))
        count: int = await observations.add(rows)
        return count

    vacuum = asyncio.ensure_future(browser.post("/api/admin/storage/vacuum"))
    reading = asyncio.ensure_future(browser.get("/api/site"))
    written = await asyncio.gather(*(come_in(1000 + 10 * number) for number in range(10)))
    done = (await vacuum).json()
    # PostgreSQL keeps the space for reuse.
    assert done["after"] < done["before"] or db.kind == "postgresql"
    assert done["seconds"] < 10
    assert written == [1000] * 10 and (await reading).status_code == 200
    count = await db.read(
        lambda conn: conn.exec_driver_sql("SELECT count(*) FROM measurements").scalar_one()
    )
    assert count == 10_000


async def test_only_one_vacuum_runs_at_a_time(
    browser: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    db = browser.started.kernel.db
    begun, go_on, outside = asyncio.Event(), asyncio.Event(), db.execute_autocommit

    async def slowly(statement: str) -> None:
        begun.set()
        await go_on.wait()
        await outside(statement)

    monkeypatch.setattr(db, "execute_autocommit", slowly)
    vacuum = asyncio.ensure_future(browser.post("/api/admin/storage/vacuum"))
    await begun.wait()
    second = await browser.code("POST", "/api/admin/storage/vacuum")
    go_on.set()
    assert (second, (await vacuum).status_code) == ((409, "already_running"), 200)


def fill_the_disk(monkeypatch: pytest.MonkeyPatch) -> None:
    full = shutil.disk_usage("/")._replace(free=0)
    monkeypatch.setattr(shutil, "disk_usage", lambda _path: full)


async def test_vacuum_requires_space_for_a_copy(
    browser: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    if browser.started.kernel.db.kind == "postgresql":
        pytest.skip("PostgreSQL manages the space on its own disk")
    fill_the_disk(monkeypatch)
    assert await browser.code("POST", "/api/admin/storage/vacuum") == (507, "disk_full")


async def test_prune_deletes_expired_data(browser: Client) -> None:
    def old(tx: object) -> None:
        conn = tx.conn  # type: ignore[attr-defined]
        conn.exec_driver_sql("INSERT INTO measurements VALUES (1, 1, 'metar', 1.0, null, 1, false)")
        columns = "token_hash, subject, created_at, expires_at"
        conn.exec_driver_sql(f"INSERT INTO sessions ({columns}) VALUES ('x', '1', 1, 2)")

    await browser.started.kernel.db.write(old)
    removed = (await browser.post("/api/admin/storage/prune")).json()["removed"]
    assert removed == {"measurements": 1, "forecasts": 0, "expired": 1, "backups": 0}
    assert (await browser.get("/api/admin/storage")).status_code == 200


async def test_backup_is_complete_and_can_be_restored(browser: Client, tmp_path: Path) -> None:
    made = (await browser.post(BACKUP)).json()
    assert made["name"].startswith("wind-") and made["name"].endswith(".tar.gz")
    answer = await browser.get(f"{BACKUP}/{made['name']}")
    assert answer.headers["content-disposition"] == f'attachment; filename="{made["name"]}"'
    assert "no-store" in answer.headers["cache-control"]
    assert len(answer.content) == made["bytes"]
    with tarfile.open(fileobj=io.BytesIO(answer.content)) as archive:
        assert {"manifest.json", "database.sqlite3"} <= set(archive.getnames())
    (tmp_path / "copy.tar.gz").write_bytes(answer.content)
    settings = SERVICE.settings(data=tmp_path / "restored")
    assert restore(SERVICE, settings, tmp_path / "copy.tar.gz").service == "wind"
    listed = (await browser.get("/api/admin/storage")).json()["backups"]
    assert [each["name"] for each in listed] == [made["name"]]
    assert (await browser.delete(f"{BACKUP}/{made['name']}")).status_code == 204
    assert await browser.code("GET", f"{BACKUP}/{made['name']}") == (404, "not_found")


async def test_number_of_backups_is_limited(browser: Client) -> None:
    await browser.put("/api/admin/settings/backups_kept", json={"value": 2})
    names = [(await browser.post(BACKUP)).json()["name"] for _ in range(3)]
    assert len(set(names)) == 3
    listed = (await browser.get("/api/admin/storage")).json()["backups"]
    assert len(listed) == 2 and names[-1] in [each["name"] for each in listed]


async def test_backup_names_cannot_escape_the_folder(browser: Client, tmp_path: Path) -> None:
    folder = tmp_path / "data" / "backups"
    folder.mkdir()
    (folder / "wind-link.tar.gz").symlink_to(tmp_path / "data" / "wind.sqlite3")
    for name in ESCAPES:
        for method in ("GET", "DELETE"):
            answer = await browser.request(method, f"{BACKUP}/{name}")
            assert answer.status_code in (404, 405), (name, answer.text)
            assert b"SQLite format" not in answer.content
    assert browser.started.kernel.db.kind != "sqlite" or (tmp_path / "data/wind.sqlite3").exists()


async def test_new_push_key_removes_subscriptions(browser: Client) -> None:
    person = await signed_in_user(browser)
    old = (await browser.get("/api/push")).json()["publicKey"]

    def subscribe(tx: object) -> None:
        values = f"(1, {person.id}, 'https://push.example/1', 'p', 'a', 1, null, null)"
        tx.conn.exec_driver_sql(  # type: ignore[attr-defined]
            f"INSERT INTO push_subscriptions VALUES {values}"
        )

    await browser.started.kernel.db.write(subscribe)
    answer = (await browser.post("/api/admin/storage/push-key")).json()
    assert answer["removed"] == 1 and answer["publicKey"] != old
    assert (await browser.get("/api/push")).json()["publicKey"] == answer["publicKey"]
    await person.browser.aclose()


async def test_storage_on_postgresql(
    tmp_path: Path, postgres_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with admin_at(tmp_path, database_url=postgres_url) as browser:
        state = (await browser.get("/api/admin/storage")).json()
        assert state["database"]["kind"] == "postgresql"
        assert state["database"]["reclaimable"] is None
        with monkeypatch.context() as disk:
            # The database is not on the local disk.
            fill_the_disk(disk)
            assert (await browser.post("/api/admin/storage/vacuum")).status_code == 200
        assert (await browser.post("/api/admin/storage/prune")).status_code == 200
        await browser.put("/api/admin/settings/favorites_limit", json={"value": 3})
        await browser.put("/api/admin/settings/favorites_limit", json={"value": 4})
        for page in ("overview", "measurements", "stats", "users", "alarms", "system"):
            assert (await browser.get(f"/api/admin/{page}")).status_code == 200, page
        made = (await browser.post(BACKUP)).json()
        assert made["bytes"] > 1000
