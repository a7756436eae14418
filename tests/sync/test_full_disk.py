"""Users can still sign in and see the state when the server's disk is full."""

from collections.abc import AsyncIterator, Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx
import pytest

from quartet.kernel.db import Database, DatabaseFull
from quartet.sync.login.service import Login
from tests.client import NO_AUTHORITIES
from tests.sync.running_app import PASSWORD, RunningApp, running_app

pytestmark = pytest.mark.anyio


@contextmanager
def full_disk(db: Database) -> Iterator[None]:
    """Keep the SQLite file at its size; SQLite then fails as on a full disk."""

    def limit(pages: int) -> None:
        with db.engine.connect() as conn:
            conn.connection.cursor().execute(f"PRAGMA max_page_count = {pages}")

    with db.engine.connect() as conn:
        [size] = conn.connection.cursor().execute("PRAGMA page_count").fetchone()
    limit(size)
    sessions = Login(db).sessions
    try:
        # Use up the free space in the last page of the table.
        with pytest.raises(DatabaseFull):
            while True:
                db.write_sync(sessions.begin, "admin")
        yield
    finally:
        limit(2**30)


@pytest.fixture
async def sqlite_app(data: Path) -> AsyncIterator[RunningApp]:
    async with running_app(data, database_url=None) as app:
        yield app


async def test_login_and_events_work_with_full_disk(sqlite_app: RunningApp) -> None:
    app, kernel = sqlite_app, sqlite_app.started.kernel
    before = await app.get("/api/events")
    with full_disk(kernel.db):
        async with httpx.AsyncClient(base_url=app.url, verify=NO_AUTHORITIES) as other:
            answer = await other.post("/api/login", json={"password": PASSWORD})
            assert answer.status_code == 200, answer.text
            assert (await other.get("/api/overview")).status_code == 200
            assert (await other.get("/api/events")).json() == before
            assert (await other.get("/api/system/audit")).status_code == 200
        large = {"label": "Photos", "ignorePatterns": [f"{n:0400}" for n in range(100)]}
        refused = await app.refused("POST", "/api/folders", json=large)
        assert refused == (507, "database_full")
    await app.folder("Photos")
    events = [each["event"] for each in (await app.get("/api/system/audit"))["entries"]]
    assert events == ["signed_in", "signed_in"]


async def test_full_disk_is_part_of_overview(
    app: RunningApp, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert (await app.overview())["problems"] == []
    monkeypatch.setattr(
        "quartet.kernel.conditions.checks.disk_finding.__defaults__", (lambda _: (100, 99, 1),)
    )
    conditions = app.started.kernel.conditions
    await conditions.check()
    await conditions.check()
    inputs = {"folder": str(app.started.kernel.settings.data), "megabytes": 0}
    expected = {"code": "health_disk_full", "inputs": inputs}
    assert (await app.overview())["problems"] == [expected]
