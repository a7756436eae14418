"""Backups are made while the service writes; a restored backup is equal."""

import tarfile
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from sqlalchemy import Connection, Table, select, text

from quartet.downloads.app import SERVICE
from quartet.downloads.login import store
from quartet.downloads.settings import DownloadsSettings
from quartet.kernel import backup
from quartet.kernel.backup import BackupError, back_up, restore
from quartet.kernel.db import Database, NoDatabase, migrate, open_database, schema_version
from quartet.sync.app import SERVICE as SYNC
from quartet.sync.settings import SyncSettings

Rows = dict[str, list[tuple[object, ...]]]
TABLES = SERVICE.history.metadata.sorted_tables


@pytest.fixture(params=["sqlite", "postgresql"])
def source(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[DownloadsSettings]:
    url = None if request.param == "sqlite" else request.getfixturevalue("postgres_url")
    settings = DownloadsSettings(data=tmp_path / "source", database_url=url)
    yield settings
    if url:
        forget(settings)


def forget(settings: DownloadsSettings) -> None:
    db = opened(settings)
    with db.engine.begin() as conn:
        conn.execute(text("DROP SCHEMA IF EXISTS downloads CASCADE"))
    db.close()


def opened(settings: DownloadsSettings) -> Database:
    return open_database(settings.data, "downloads", settings.database_url)


def rows(settings: DownloadsSettings) -> Rows:
    db = opened(settings)
    with db.engine.connect() as conn:
        found = {table.name: _rows(conn, table) for table in TABLES}
    db.close()
    return found


def _rows(conn: Connection, table: Table) -> list[tuple[object, ...]]:
    return sorted(tuple(row) for row in conn.execute(select(table)))


def fill(settings: DownloadsSettings) -> None:
    db = opened(settings)
    migrate(db, SERVICE.history)
    with db.engine.begin() as conn:
        store.add_user(conn, "ada", "a hash, ünicode")
        store.replace_api_token(conn, "0", 0)
    db.close()
    keys = settings.data / "keys"
    keys.mkdir(parents=True)
    (keys / "server.key").write_bytes(b"\x00key")


def test_restored_backup_is_equal(source: DownloadsSettings, tmp_path: Path) -> None:
    fill(source)
    before = rows(source)
    back_up(SERVICE, source, tmp_path / "backup.tar.gz")
    target = DownloadsSettings(data=tmp_path / "target")
    restore(SERVICE, target, tmp_path / "backup.tar.gz")
    assert rows(target) == before
    assert (target.data / "keys" / "server.key").read_bytes() == b"\x00key"
    assert sorted(path.name for path in target.data.iterdir()) == ["downloads.sqlite3", "keys"]


def test_sqlite_backup_can_be_restored_to_postgresql(tmp_path: Path, postgres_url: str) -> None:
    source = DownloadsSettings(data=tmp_path / "source")
    fill(source)
    back_up(SERVICE, source, tmp_path / "backup.tar.gz")
    target = DownloadsSettings(data=tmp_path / "target", database_url=postgres_url)
    try:
        restore(SERVICE, target, tmp_path / "backup.tar.gz")
        assert rows(target) == rows(source)
    finally:
        forget(target)


def test_backup_of_running_service_is_consistent(source: DownloadsSettings, tmp_path: Path) -> None:
    """The writer increments two numbers in one transaction; a backup never sees them differ."""
    fill(source)
    db = opened(source)
    stop = threading.Event()

    def write() -> None:
        number = 0
        while not stop.is_set():
            number += 1
            with db.engine.begin() as conn:
                store.replace_api_token(conn, str(number), number)

    writer = threading.Thread(target=write)
    writer.start()
    try:
        for number in range(5):
            archive = tmp_path / f"{number}.tar.gz"
            back_up(SERVICE, source, archive)
            target = DownloadsSettings(data=tmp_path / str(number))
            restore(SERVICE, target, archive)
            [(_, token_hash, created_at)] = rows(target)["api_token"]
            assert token_hash == str(created_at)
    finally:
        stop.set()
        writer.join()
        db.close()


def test_backup_is_readable_only_by_owner(source: DownloadsSettings, tmp_path: Path) -> None:
    fill(source)
    back_up(SERVICE, source, tmp_path / "backup.tar.gz")
    assert (tmp_path / "backup.tar.gz").stat().st_mode & 0o777 == 0o600
    left = {path.name for path in tmp_path.iterdir()}
    assert left == {"backup.tar.gz", "source"}


def test_backup_contains_targets_of_links(tmp_path: Path) -> None:
    source = DownloadsSettings(data=tmp_path / "source")
    fill(source)
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "one.py").write_text("1")
    plugins = source.data / "plugins"
    plugins.mkdir()
    (plugins / "one.py").symlink_to(tmp_path / "mine" / "one.py")
    (plugins / "several").symlink_to(tmp_path / "mine")
    (plugins / "gone.py").symlink_to(tmp_path / "gone.py")
    back_up(SERVICE, source, tmp_path / "backup.tar.gz")
    target = DownloadsSettings(data=tmp_path / "target")
    restore(SERVICE, target, tmp_path / "backup.tar.gz")
    found = sorted((target.data / "plugins").rglob("*.py"))
    assert [path.relative_to(target.data).as_posix() for path in found] == [
        "plugins/one.py",
        "plugins/several/one.py",
    ]
    assert {path.read_text() for path in found} == {"1"}
    assert not any(path.is_symlink() for path in found)


def test_sync_backup_contains_hub_identity(tmp_path: Path) -> None:
    source = SyncSettings(data=tmp_path / "source")
    db = open_database(source.data, "sync")
    migrate(db, SYNC.history)
    db.close()
    (source.data / "hub").mkdir()
    for name in ("cert.pem", "key.pem", "config.xml"):
        (source.data / "hub" / name).write_text(name)
    back_up(SYNC, source, tmp_path / "backup.tar.gz")
    target = SyncSettings(data=tmp_path / "target")
    restore(SYNC, target, tmp_path / "backup.tar.gz")
    kept = {path.name: path.read_text() for path in (target.data / "hub").iterdir()}
    assert kept == {"cert.pem": "cert.pem", "key.pem": "key.pem"}


def test_backup_without_database_fails(source: DownloadsSettings, tmp_path: Path) -> None:
    with pytest.raises(NoDatabase):
        back_up(SERVICE, source, tmp_path / "backup.tar.gz")
    assert list(tmp_path.iterdir()) == []


def test_backup_to_missing_folder_names_it(tmp_path: Path) -> None:
    source = DownloadsSettings(data=tmp_path / "source")
    fill(source)
    with pytest.raises(BackupError, match=r"folder .*elsewhere does not exist"):
        back_up(SERVICE, source, tmp_path / "elsewhere" / "backup.tar.gz")


@pytest.fixture
def archive(tmp_path: Path) -> Path:
    source = DownloadsSettings(data=tmp_path / "source")
    fill(source)
    back_up(SERVICE, source, tmp_path / "backup.tar.gz")
    return tmp_path / "backup.tar.gz"


def test_restore_refuses_folder_with_data(archive: Path, tmp_path: Path) -> None:
    with pytest.raises(BackupError, match="empty data folder"):
        restore(SERVICE, DownloadsSettings(data=tmp_path / "source"), archive)


def test_interrupted_restore_can_be_repeated(
    archive: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The database is restored last, so its presence means a complete restore."""
    target = DownloadsSettings(data=tmp_path / "target")

    def cut_off(_source: Path, _target: Path) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch, pytest.raises(KeyboardInterrupt):
        patch.setattr(backup, "copy_sqlite", cut_off)
        restore(SERVICE, target, archive)
    assert (target.data / "keys" / "server.key").is_file()
    restore(SERVICE, target, archive)
    assert rows(target) == rows(DownloadsSettings(data=tmp_path / "source"))


def test_backup_of_other_service_is_rejected(archive: Path, tmp_path: Path) -> None:
    with pytest.raises(BackupError, match="backup of downloads"):
        restore(SYNC, SyncSettings(data=tmp_path / "target"), archive)


@pytest.mark.parametrize("share", [0.0, 0.3, 0.9])
def test_truncated_backup_is_rejected_and_leaves_nothing(
    archive: Path, tmp_path: Path, share: float
) -> None:
    content = archive.read_bytes()
    archive.write_bytes(content[: int(len(content) * share)])
    target = DownloadsSettings(data=tmp_path / "target")
    with pytest.raises(BackupError):
        restore(SERVICE, target, archive)
    db = opened(target)
    assert schema_version(db) == 0
    db.close()


def test_changed_file_in_backup_is_detected(archive: Path, tmp_path: Path) -> None:
    inside = tmp_path / "inside"
    with tarfile.open(archive) as tar:
        tar.extractall(inside)
    (inside / "keys" / "server.key").write_bytes(b"other")
    with tarfile.open(archive, "w:gz") as tar:
        tar.add(inside, ".")
    with pytest.raises(BackupError, match=r"server\.key is damaged"):
        restore(SERVICE, DownloadsSettings(data=tmp_path / "target"), archive)


def test_archive_with_link_is_rejected(archive: Path, tmp_path: Path) -> None:
    link = tmp_path / "link"
    link.symlink_to("/etc/passwd")
    with tarfile.open(archive, "w:gz") as tar:
        tar.add(link, "keys/server.key")
    with pytest.raises(BackupError, match="does not belong in a backup"):
        restore(SERVICE, DownloadsSettings(data=tmp_path / "target"), archive)


def test_archive_with_path_traversal_is_rejected(archive: Path, tmp_path: Path) -> None:
    outside = tmp_path / "outside.txt"
    outside.write_text("mine")
    with tarfile.open(archive, "w:gz") as tar:
        tar.add(outside, "../../outside.txt")
    with pytest.raises(BackupError):
        restore(SERVICE, DownloadsSettings(data=tmp_path / "a" / "b"), archive)
