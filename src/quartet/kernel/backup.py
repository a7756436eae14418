"""Backup and restore of a service's data as one file.

The database in a backup is always SQLite, even if the service runs on PostgreSQL, so that a backup
can be restored to either database.
"""

import errno
import os
import shutil
import tarfile
import tempfile
import time
from collections.abc import Iterator
from hashlib import file_digest
from pathlib import Path
from typing import Protocol

import msgspec

from quartet import __version__
from quartet.kernel.db import (
    Database,
    History,
    copy_rows,
    copy_sqlite,
    migrate,
    open_database,
    open_existing,
    schema_version,
)
from quartet.kernel.errors import OperatorError, Problem
from quartet.kernel.settings import Settings

FORMAT = 1
MANIFEST = "manifest.json"
DATABASE = "database.sqlite3"


class BackupError(OperatorError):
    """A backup that cannot be made or restored.

    The message is shown on the command line, the problem in the UI.
    """

    def __init__(self, message: str, problem: Problem) -> None:
        super().__init__(message)
        self.problem = problem


def backup_problem(error: Exception) -> Problem:
    """Return what to show in the UI for a failed backup or restore."""
    if isinstance(error, BackupError):
        return error.problem
    if isinstance(error, OSError) and error.errno in (errno.ENOSPC, errno.EDQUOT):
        return Problem("backup_no_space")
    return Problem("backup_failed", {"reason": str(error)})


class Manifest(msgspec.Struct, frozen=True, rename="camel"):
    format: int
    service: str
    version: str
    schema_version: int
    created_at: int
    # Maps the path in the archive to the SHA-256 of the file.
    files: dict[str, str]


class BackedUpService(Protocol):
    """What a backup needs of a service."""

    @property
    def name(self) -> str: ...

    @property
    def history(self) -> History: ...

    @property
    def backup_paths(self) -> tuple[str, ...]: ...


def back_up(service: BackedUpService, settings: Settings, target: Path) -> Manifest:
    """Write a backup. Safe while the service is running: the database copy is a snapshot."""
    if not target.parent.is_dir():
        raise BackupError(
            f"the folder {target.parent} does not exist",
            Problem("backup_folder_missing", {"folder": str(target.parent)}),
        )
    db = open_existing(settings.data, service.name, settings.database_url)
    partial = target.with_name(target.name + ".partial")
    try:
        with tempfile.TemporaryDirectory(dir=target.parent, prefix=".backup-") as folder:
            copy = Path(folder) / DATABASE
            version = _copy_out(db, service.history, copy)
            files = {DATABASE: copy, **_kept_files(service, settings.data)}
            manifest = Manifest(
                FORMAT,
                service.name,
                __version__,
                version,
                int(time.time()),
                {name: _digest(path) for name, path in files.items()},
            )
            _write_archive(partial, manifest, files, Path(folder))
        _sync(partial)
        partial.replace(target)
        _sync(target.parent)
    finally:
        partial.unlink(missing_ok=True)
        db.close()
    return manifest


def restore(service: BackedUpService, settings: Settings, source: Path) -> Manifest:
    """Restore a backup to an empty data folder or PostgreSQL schema."""
    settings.data.mkdir(mode=0o700, parents=True, exist_ok=True)
    db = open_database(settings.data, service.name, settings.database_url)
    try:
        if schema_version(db) != 0:
            raise BackupError(
                "the target already contains data; restore to an empty data folder",
                Problem("restore_not_empty"),
            )
        with tempfile.TemporaryDirectory(dir=settings.data, prefix=".restore-") as folder:
            manifest = _read_archive(source, Path(folder), service)
            for name in manifest.files:
                if name != DATABASE:
                    _put(Path(folder) / name, settings.data / name)
            # The database comes last: a failed restore can then be repeated.
            _copy_in(db, service.history, Path(folder))
    finally:
        db.close()
    return manifest


def _copy_out(db: Database, history: History, copy: Path) -> int:
    if db.kind == "sqlite":
        copy_sqlite(db.file, copy)
        return schema_version(db)
    version = migrate(db, history)
    target = open_database(copy.parent, copy.stem)
    migrate(target, history)
    with (
        db.engine.connect().execution_options(isolation_level="REPEATABLE READ") as rows,
        target.engine.begin() as conn,
    ):
        copy_rows(rows, conn, history.metadata)
    target.close()
    return version


def _copy_in(db: Database, history: History, folder: Path) -> None:
    copy = folder / DATABASE
    if db.kind == "sqlite":
        # A database with an older schema is upgraded when the service starts.
        copy_sqlite(copy, db.file)
        return
    source = open_database(folder, copy.stem)
    migrate(source, history)
    migrate(db, history)
    with source.engine.connect() as rows, db.engine.begin() as conn:
        copy_rows(rows, conn, history.metadata)
    source.close()


def _kept_files(service: BackedUpService, data: Path) -> dict[str, Path]:
    """List the files to back up.

    Symbolic links are followed, as targets may not exist elsewhere.
    """

    def found() -> Iterator[Path]:
        for name in service.backup_paths:
            yield data / name
            for folder, _, names in os.walk(data / name, followlinks=True):
                yield from (Path(folder, each) for each in names)

    return {path.relative_to(data).as_posix(): path for path in sorted(found()) if path.is_file()}


def _write_archive(target: Path, manifest: Manifest, files: dict[str, Path], folder: Path) -> None:
    index = folder / MANIFEST
    index.write_bytes(msgspec.json.format(msgspec.json.encode(manifest)))
    target.touch(mode=0o600)
    with tarfile.open(target, "w:gz", compresslevel=3, dereference=True) as archive:
        archive.add(index, MANIFEST)
        for name, path in files.items():
            archive.add(path, name, recursive=False)


def _read_archive(source: Path, folder: Path, service: BackedUpService) -> Manifest:
    try:
        with tarfile.open(source, "r:gz") as archive:
            _extract(archive, folder)
        manifest = msgspec.json.decode((folder / MANIFEST).read_bytes(), type=Manifest)
    except (tarfile.TarError, OSError, EOFError, msgspec.MsgspecError) as error:
        raise BackupError(
            f"{source} is not a complete backup: {error}",
            Problem("backup_incomplete", {"name": source.name}),
        ) from error
    _check(manifest, folder, service)
    return manifest


def _extract(archive: tarfile.TarFile, folder: Path) -> None:
    """Extract regular files only, since a backup has no others and a link could point outside.

    The filters of `extractall` do the same, but Python 3.11.2 of Debian 12 does not have them.
    """
    for member in archive:
        parts = Path(member.name).parts
        if member.isdir() and ".." not in parts:
            continue
        content = archive.extractfile(member) if member.isreg() else None
        if content is None or ".." in parts or Path(member.name).is_absolute():
            raise tarfile.ReadError(f"{member.name} does not belong in a backup")
        target = folder / member.name
        target.parent.mkdir(parents=True, exist_ok=True)
        with content, target.open("xb") as file:
            shutil.copyfileobj(content, file)
        target.chmod(member.mode & 0o755 | 0o600)
        os.utime(target, (member.mtime, member.mtime))


def _check(manifest: Manifest, folder: Path, service: BackedUpService) -> None:
    if manifest.format != FORMAT or manifest.service != service.name:
        raise BackupError(
            f"this is a backup of {manifest.service}, format {manifest.format}",
            Problem("backup_of_other_service", {"service": manifest.service}),
        )
    if manifest.schema_version > service.history.head:
        raise BackupError(
            f"the backup was made by the newer version {manifest.version}",
            Problem("backup_of_newer_version", {"version": manifest.version}),
        )
    for name, digest in manifest.files.items():
        path = folder / name
        if ".." in Path(name).parts or not path.is_file() or _digest(path) != digest:
            raise BackupError(
                f"{name} is damaged in the backup", Problem("backup_damaged", {"name": name})
            )


def _sync(path: Path) -> None:
    """Write a file or the entries of a folder to the disk, so that they survive a power cut."""
    opened = os.open(path, os.O_RDONLY)
    try:
        os.fsync(opened)
    finally:
        os.close(opened)


def _put(source: Path, target: Path) -> None:
    target.parent.mkdir(parents=True, exist_ok=True)
    _sync(source)
    source.replace(target)


def _digest(path: Path) -> str:
    with path.open("rb") as file:
        return file_digest(file, "sha256").hexdigest()
