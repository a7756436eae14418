"""Scheduled backups are verified, listed, pruned and restored; failures are visible."""

import asyncio
import stat
from collections.abc import Callable, Iterator
from datetime import datetime
from pathlib import Path

import pytest
from click.testing import CliRunner
from sqlalchemy import inspect, text

from quartet.cli import main
from quartet.downloads.app import SERVICE
from quartet.downloads.login import store
from quartet.downloads.settings import DownloadsSettings
from quartet.kernel.backup import BackupError, back_up
from quartet.kernel.backups import Backups, replace, restore_at_start, restore_over
from quartet.kernel.backups import service as backups_service
from quartet.kernel.backups.record import change_record, read_record
from quartet.kernel.backups.types import PendingRestore
from quartet.kernel.db import migrate, open_database
from tests.client import client_of
from tests.downloads.conftest import logged_in

pytestmark = pytest.mark.anyio

DAY = 24 * 3600


def local(moment: str) -> float:
    return datetime.fromisoformat(moment).timestamp()


class Clock:
    def __init__(self, moment: str) -> None:
        self.now = local(moment)

    def __call__(self) -> float:
        return self.now


def service_with_user(data: Path, name: str = "ada", **more: object) -> DownloadsSettings:
    settings = DownloadsSettings(data=data, **more)  # type: ignore[arg-type]
    change_user(settings, name)
    (data / "keys").mkdir(parents=True, exist_ok=True)
    (data / "keys" / "server.key").write_text(name)
    return settings


def change_user(settings: DownloadsSettings, name: str) -> None:
    db = open_database(settings.data, "downloads", settings.database_url)
    migrate(db, SERVICE.history)
    with db.engine.begin() as conn:
        store.replace_user(conn, name, "hash")
    db.close()


def user_of(settings: DownloadsSettings) -> str | None:
    db = open_database(settings.data, "downloads", settings.database_url)
    with db.engine.connect() as conn:
        name = store.user_name(conn)
    db.close()
    return name


async def test_backup_is_made_once_per_day_and_old_ones_are_deleted(tmp_path: Path) -> None:
    clock = Clock("2026-11-17 12:00:00")
    settings = service_with_user(tmp_path, backup_time="04:00", backup_keep=2)
    change_record(tmp_path, since=int(clock.now))
    backups = Backups(SERVICE, settings, clock)
    await backups.make_if_due()
    assert (await backups.state()).backups == []
    made: list[str] = []
    for _ in range(3):
        clock.now += DAY
        await backups.make_if_due()
        await backups.make_if_due()
        newest = (await backups.state()).backups[0]
        made.append(newest.name)
    state = await backups.state()
    assert [each.name for each in state.backups] == [made[2], made[1]]
    assert all(each.verified_at and each.bytes for each in state.backups)
    assert (state.overdue, state.error) == (False, None)
    assert state.next_at == local("2026-11-21 04:00:00")
    mode = (settings.backups / made[2]).stat().st_mode
    assert stat.S_IMODE(mode) == 0o600
    assert stat.S_IMODE(settings.backups.stat().st_mode) == 0o700


async def test_backup_missed_while_stopped_is_made_after_start(tmp_path: Path) -> None:
    clock = Clock("2026-11-17 12:00:00")
    settings = service_with_user(tmp_path, backup_time="04:00")
    change_record(tmp_path, since=int(clock.now))
    clock.now = local("2026-11-18 09:00:00")
    started = Backups(SERVICE, settings, clock)
    problem = await started.check()
    assert problem is not None
    assert problem.code == "backup_overdue"
    await started.make_if_due()
    assert started.problem is None
    assert started.succeeded_at == clock.now


async def test_failed_backup_is_visible_and_retried(tmp_path: Path) -> None:
    clock = Clock("2026-11-17 12:00:00")
    settings = service_with_user(tmp_path, backup_folder=tmp_path / "target", backup_time="04:00")
    change_record(tmp_path, since=int(clock.now))
    backups = Backups(SERVICE, settings, clock)
    (tmp_path / "target").write_text("a file instead of a folder")
    clock.now += DAY
    await backups.make_if_due()
    problem = await backups.check()
    assert problem is not None
    assert problem.code == "backup_failed"
    (tmp_path / "target").unlink()
    clock.now += 600
    await backups.make_if_due()
    assert (await backups.state()).backups == []
    clock.now += 3600
    await backups.make_if_due()
    assert backups.problem is None
    assert len((await backups.state()).backups) == 1


async def test_backup_that_cannot_be_restored_is_not_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings = service_with_user(tmp_path)
    original = back_up

    def damaged(service: object, given: object, target: Path) -> None:
        original(service, given, target)  # type: ignore[arg-type]
        target.write_bytes(target.read_bytes()[:-100])

    monkeypatch.setattr(backups_service, "back_up", damaged)
    backups = Backups(SERVICE, settings)
    with pytest.raises(BackupError):
        backups.make_now(5)
    assert list(settings.backups.iterdir()) == []
    error = (await backups.state()).error
    assert error is not None
    assert error.code == "backup_incomplete"


@pytest.fixture(params=["sqlite", "postgresql"])
def settings(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[DownloadsSettings]:
    url = None if request.param == "sqlite" else request.getfixturevalue("postgres_url")
    settings = service_with_user(tmp_path / "data", database_url=url)
    yield settings
    if url:
        drop_schemas(settings)


def drop_schemas(settings: DownloadsSettings) -> None:
    db = open_database(settings.data, "downloads", settings.database_url)
    names = inspect(db.engine).get_schema_names()
    with db.engine.begin() as conn:
        for name in names:
            if name == "downloads" or name.startswith("before_restore"):
                conn.execute(text(f'DROP SCHEMA "{name}" CASCADE'))
    db.close()


def test_requested_restore_happens_at_start_and_keeps_data(settings: DownloadsSettings) -> None:
    made = Backups(SERVICE, settings).make_now(5)
    change_user(settings, "eve")
    (settings.data / "keys" / "server.key").write_text("eve")
    change_record(settings.data, restore=PendingRestore(made.name, 1_800_000_000))
    restore_at_start(SERVICE, settings)
    assert user_of(settings) == "ada"
    assert (settings.data / "keys" / "server.key").read_text() == "ada"
    record = read_record(settings.data)
    assert record.restore is None
    assert record.restored is not None
    assert record.restored.error is None
    previous = settings.data / str(record.restored.previous)
    assert (previous / "keys" / "server.key").read_text() == "eve"
    if settings.database_url is None:
        assert user_of(DownloadsSettings(data=previous)) == "eve"
    change_user(settings, "bob")
    restore_at_start(SERVICE, settings)
    assert user_of(settings) == "bob"


def test_failed_restore_brings_data_back(
    settings: DownloadsSettings, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = Backups(SERVICE, settings).make_now(5)
    change_user(settings, "eve")

    def fail(*_: object) -> None:
        raise OSError(5, "Input/output error")

    monkeypatch.setattr(replace, "restore", fail)
    change_record(settings.data, restore=PendingRestore(made.name, 1_800_000_000))
    restore_at_start(SERVICE, settings)
    assert user_of(settings) == "eve"
    assert (settings.data / "keys" / "server.key").exists()
    restored = read_record(settings.data).restored
    assert restored is not None
    assert restored.error is not None
    assert not list(settings.data.glob("before-restore-*"))


class KilledError(BaseException):
    """Stands for the end of the process."""


def test_restore_interrupted_at_any_step_is_finished_at_next_start(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The process ends at the first, second, … step of the restore, until it gets through."""
    # After a kill nothing is moved back.
    monkeypatch.setattr(replace._Previous, "move_back", lambda _self: None)

    def killed_after(steps: int, name: str, done: list[str]) -> Callable[..., object]:
        original = getattr(replace, name)

        def step(*args: object, **more: object) -> object:
            done.append(name)
            if len(done) > steps:
                raise KilledError
            return original(*args, **more)

        return step

    for steps in range(20):
        done: list[str] = []
        settings = service_with_user(tmp_path / str(steps))
        made = Backups(SERVICE, settings).make_now(5)
        change_user(settings, "eve")
        (settings.data / "keys" / "server.key").write_text("eve")
        change_record(settings.data, restore=PendingRestore(made.name, 1_800_000_000))
        finished = True
        with monkeypatch.context() as patch:
            for name in ("_move", "restore", "change_record"):
                patch.setattr(replace, name, killed_after(steps, name, done))
            try:
                restore_at_start(SERVICE, settings)
            except KilledError:
                finished = False
        restore_at_start(SERVICE, settings)
        assert user_of(settings) == "ada"
        (previous,) = settings.data.glob("before-restore-*")
        assert user_of(DownloadsSettings(data=previous)) == "eve"
        assert (previous / "keys" / "server.key").read_text() == "eve"
        if finished:
            break
    assert finished


def test_interrupted_restore_of_deleted_backup_brings_data_back(
    settings: DownloadsSettings, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The process ends while data is moved away, and then the backup is gone."""
    made = Backups(SERVICE, settings).make_now(5)
    change_user(settings, "eve")
    change_record(settings.data, restore=PendingRestore(made.name, 1_800_000_000))
    original = replace._move
    done: list[Path] = []

    def move(source: Path, target: Path) -> None:
        if done:
            raise KilledError
        done.append(source)
        original(source, target)

    with monkeypatch.context() as patch:
        patch.setattr(replace, "_move", move)
        patch.setattr(replace._Previous, "move_back", lambda _self: None)
        with pytest.raises(KilledError):
            restore_at_start(SERVICE, settings)
    (settings.backups / made.name).unlink()
    restore_at_start(SERVICE, settings)
    assert user_of(settings) == "eve"
    assert (settings.data / "keys" / "server.key").exists()
    assert not list(settings.data.glob("before-restore-*"))


async def test_page_lists_makes_restores_and_deletes_backups(tmp_path: Path) -> None:
    async with logged_in(tmp_path) as client:
        made = (await client.post("/api/system/backups")).json()
        state = (await client.get("/api/system/backups")).json()
        assert [each["name"] for each in state["backups"]] == [made["name"]]
        assert (state["time"], state["keep"], state["running"]) == ("04:00", 7, False)
        file = await client.get(f"/api/system/backups/{made['name']}/file")
        assert len(file.content) == made["bytes"]

        wanted = (await client.post(f"/api/system/backups/{made['name']}/restore")).json()
        assert wanted["restore"]["name"] == made["name"]
        assert await client.code("DELETE", "/api/system/backups/other/restore") == (
            404,
            "not_found",
        )
        cancelled = (await client.delete(f"/api/system/backups/{made['name']}/restore")).json()
        assert cancelled["restore"] is None

        assert (await client.delete(f"/api/system/backups/{made['name']}")).status_code == 204
        assert (await client.get("/api/system/backups")).json()["backups"] == []
        for name in ("..%2Fdownloads.sqlite3", "unknown.tar.gz"):
            assert (await client.get(f"/api/system/backups/{name}/file")).status_code == 404
        entries = (await client.get("/api/system/audit")).json()["entries"]
        assert [each["event"] for each in entries][:4] == [
            "deleted",
            "restore_cancelled",
            "restore_requested",
            "backup_downloaded",
        ]


async def test_damaged_backup_cannot_be_chosen_for_restore(tmp_path: Path) -> None:
    async with logged_in(tmp_path) as client:
        made = (await client.post("/api/system/backups")).json()
        path = tmp_path / "backups" / made["name"]
        path.write_bytes(path.read_bytes()[:-200])
        refused = await client.code("POST", f"/api/system/backups/{made['name']}/restore")
        assert refused == (409, "backup_incomplete")
        assert (await client.get("/api/system/backups")).json()["restore"] is None


async def test_failed_backup_is_in_metrics(tmp_path: Path) -> None:
    (tmp_path / "backups").write_text("a file instead of a folder")
    async with logged_in(tmp_path) as client:
        assert "quartet_backup_failing 0.0" in (await client.get("/metrics")).text
        assert await client.code("POST", "/api/system/backups") == (409, "backup_failed")
        assert "quartet_backup_failing 1.0" in (await client.get("/metrics")).text


async def test_only_one_backup_is_made_at_a_time(tmp_path: Path) -> None:
    async with logged_in(tmp_path) as client:
        answers = await asyncio.gather(*(client.post("/api/system/backups") for _ in range(3)))
        assert sorted(each.status_code for each in answers) == [201, 409, 409]


async def test_anonymous_visitor_cannot_download_backup(tmp_path: Path) -> None:
    async with client_of(SERVICE, tmp_path) as client:
        assert await client.code("GET", "/api/system/backups/x/file") == (401, "signed_out")


def test_command_writes_lists_and_restores_backup(tmp_path: Path) -> None:
    service_with_user(tmp_path / "downloads")

    def run(*words: str) -> str:
        result = CliRunner().invoke(main, [*words, "--data", str(tmp_path)])
        assert result.exit_code == 0, result.output
        return result.output

    assert "verified" in run("backup", "downloads")
    line = run("backups", "downloads").strip()
    file = line.split()[-1]
    assert "verified" in line
    change_user(DownloadsSettings(data=tmp_path / "downloads"), "eve")
    assert "kept as before-restore-" in run("restore", "downloads", file, "--replace")
    assert user_of(DownloadsSettings(data=tmp_path / "downloads")) == "ada"


def test_damaged_backup_is_refused_before_data_is_touched(tmp_path: Path) -> None:
    settings = service_with_user(tmp_path / "data")
    file = tmp_path / "backup.tar.gz"
    file.write_bytes(b"no archive")
    with pytest.raises(BackupError):
        restore_over(SERVICE, settings, file)
    assert user_of(settings) == "ada"
    assert not list(settings.data.glob("before-restore-*"))
