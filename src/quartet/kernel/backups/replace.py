"""Replaces the data of a service that is not running with that of a backup. Blocks.

The data from before is moved to a folder in the data folder, or on PostgreSQL to another schema,
and moved back if the backup cannot be restored. Every step can be repeated after a crash.
"""

import logging
import shutil
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import msgspec

from quartet.kernel.backup import BackedUpService, BackupError, Manifest, backup_problem, restore
from quartet.kernel.backups.record import change_record, has_record, read_record
from quartet.kernel.backups.types import RestoreResult
from quartet.kernel.backups.verify import verify
from quartet.kernel.db import Database, open_database
from quartet.kernel.db.maintenance import drop_schema, rename_schema
from quartet.kernel.log import problem_text
from quartet.kernel.settings import Settings

log = logging.getLogger("quartet.backups")

PREVIOUS = "before-restore-"
# Written when everything was moved: what the data folder contains then is the incomplete restore.
_MOVED = ".moved"


def restore_at_start(service: BackedUpService, settings: Settings) -> None:
    """Carry out the restore that was requested on the system page."""
    if not has_record(settings.data):
        return
    pending = read_record(settings.data).restore
    if pending is None:
        return
    name = f"{PREVIOUS}{time.strftime('%Y%m%d-%H%M%S', time.gmtime(pending.requested_at))}"
    result = RestoreResult(pending.name, int(time.time()))
    try:
        restore_over(service, settings, settings.backups / pending.name, name)
    except (BackupError, OSError) as error:
        problem = backup_problem(error)
        log.error("backup %s was not restored: %s", pending.name, problem_text(problem))
        result = msgspec.structs.replace(result, error=problem)
    else:
        log.info("backup %s restored; the data from before is kept as %s", pending.name, name)
        result = msgspec.structs.replace(result, previous=name)
    change_record(settings.data, restore=None, restored=result)


def restore_over(
    service: BackedUpService, settings: Settings, file: Path, name: str | None = None
) -> tuple[Manifest, str]:
    """Restore a backup and keep the data from before under the returned name."""
    name = name or f"{PREVIOUS}{time.strftime('%Y%m%d-%H%M%S', time.gmtime())}"
    previous = _Previous(service, settings, name)
    try:
        verify(service, settings, file)
        previous.move_away()
        return restore(service, settings, file), name
    except BaseException:
        # An attempt before a crash may have moved some of the data already.
        previous.move_back()
        raise


class _Previous:
    """The data from before a restore."""

    def __init__(self, service: BackedUpService, settings: Settings, name: str) -> None:
        self._service, self._settings = service, settings
        self._folder = settings.data / name
        self._schema = name.replace("-", "_")
        database = f"{service.name}.sqlite3"
        files = () if settings.database_url else (database, f"{database}-wal", f"{database}-shm")
        self._paths = (*files, *service.backup_paths)

    def move_away(self) -> None:
        self._folder.mkdir(mode=0o700, exist_ok=True)
        if (self._folder / _MOVED).exists():
            self._remove_restored()
            return
        for path in self._paths:
            _move(self._settings.data / path, self._folder / path)
        self._rename_schema(self._service.name, self._schema)
        (self._folder / _MOVED).touch()

    def move_back(self) -> None:
        if not self._folder.exists():
            return
        if (self._folder / _MOVED).exists():
            self._remove_restored()
        for path in self._paths:
            _move(self._folder / path, self._settings.data / path)
        self._rename_schema(self._schema, self._service.name)
        shutil.rmtree(self._folder, ignore_errors=True)

    def _remove_restored(self) -> None:
        for path in self._paths:
            _remove(self._settings.data / path)
        with self._postgres() as db:
            if db:
                drop_schema(db, self._service.name)

    def _rename_schema(self, before: str, after: str) -> None:
        with self._postgres() as db:
            if db:
                rename_schema(db, before, after)

    @contextmanager
    def _postgres(self) -> Iterator[Database | None]:
        url = self._settings.database_url
        db = open_database(self._settings.data, self._service.name, url) if url else None
        yield db
        if db:
            db.close()


def _move(source: Path, target: Path) -> None:
    if source.exists() or source.is_symlink():
        target.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        source.rename(target)


def _remove(path: Path) -> None:
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path)
    else:
        path.unlink(missing_ok=True)
