import asyncio
import logging
import time
from collections.abc import Awaitable, Callable
from contextlib import suppress
from pathlib import Path

from quartet.kernel.backup import BackedUpService, BackupError, back_up, backup_problem
from quartet.kernel.backups.record import change_record, has_record, read_record, write_record
from quartet.kernel.backups.schedule import OFF, is_due, is_overdue, next_due
from quartet.kernel.backups.types import BackupFile, BackupState, PendingRestore, Record, Result
from quartet.kernel.backups.verify import remove_leftovers, verify
from quartet.kernel.db import NoDatabase
from quartet.kernel.errors import AppError, Problem
from quartet.kernel.log import problem_text
from quartet.kernel.settings import Settings

log = logging.getLogger("quartet.backups")

FAILURES = (BackupError, NoDatabase, OSError)
_ENDING = ".tar.gz"


class Backups:
    """The backups of one service in its backup folder, and the schedule."""

    def __init__(
        self,
        service: BackedUpService,
        settings: Settings,
        clock: Callable[[], float] = time.time,
    ) -> None:
        self._service, self._settings, self._clock = service, settings, clock
        self._folder = settings.backups
        self._running = asyncio.Lock()
        # Returns how many backups to keep; a service may let its admin change the number.
        self.keep: Callable[[], Awaitable[int]] = self._keep_from_settings
        # The state at the last check, for the metrics, which must not wait for a disk.
        self.problem: Problem | None = None
        self.succeeded_at: int | None = None

    async def state(self) -> BackupState:
        return await asyncio.to_thread(self._state, await self.keep())

    async def make(self) -> BackupFile:
        """Write and verify a backup, and delete the oldest ones beyond the number to keep."""
        if self._running.locked():
            raise AppError(409, "backup_running")
        async with self._running:
            try:
                return await asyncio.to_thread(self.make_now, await self.keep())
            except FAILURES as error:
                problem = backup_problem(error)
                raise AppError(409, problem.code, **problem.inputs) from error
            finally:
                await self.check()

    async def make_if_due(self) -> None:
        record = await asyncio.to_thread(self._started_record)
        if is_due(record, self._settings.backup_time, self._clock()) and not self._running.locked():
            async with self._running:
                # Failures are logged and recorded.
                with suppress(*FAILURES):
                    await asyncio.to_thread(self.make_now, await self.keep())
        await self.check()

    async def check(self) -> Problem | None:
        """Return why there is no recent backup, and remember it for the metrics."""
        record = await asyncio.to_thread(read_record, self._settings.data)
        self.succeeded_at = record.succeeded_at
        self.problem = record.error
        if self.problem is None and is_overdue(record, self._settings.backup_time, self._clock()):
            self.problem = Problem("backup_overdue")
        return self.problem

    async def path_of(self, name: str) -> Path:
        """Return the path of a backup.

        The name is compared with existing files, so no part of a URL is ever used as a path.
        """
        files = await asyncio.to_thread(self._files)
        found = next((path for path in files if path.name == name), None)
        if found is None:
            raise AppError(404, "not_found")
        return found

    async def remove(self, name: str) -> None:
        path = await self.path_of(name)
        await asyncio.to_thread(path.unlink, missing_ok=True)
        log.info("backup %s deleted", name)

    async def prune(self, keep: int) -> int:
        return await asyncio.to_thread(self._prune, keep)

    async def request_restore(self, name: str) -> BackupState:
        """Check a backup and restore it at the next start."""
        if self._settings.role != "all":
            # Other processes use the same database, and would continue during the restore.
            raise AppError(409, "restore_needs_command")
        path = await self.path_of(name)
        try:
            await asyncio.to_thread(verify, self._service, self._settings, path)
        except (BackupError, OSError) as error:
            problem = backup_problem(error)
            raise AppError(409, problem.code, **problem.inputs) from error
        await self._set_restore(PendingRestore(name, int(self._clock())))
        log.info("backup %s is restored at the next start", name)
        return await self.state()

    async def cancel_restore(self, name: str) -> BackupState:
        pending = (await self.state()).restore
        if pending is None or pending.name != name:
            raise AppError(404, "not_found")
        await self._set_restore(None)
        log.info("the restore at the next start was cancelled")
        return await self.state()

    async def _set_restore(self, restore: PendingRestore | None) -> None:
        await asyncio.to_thread(lambda: change_record(self._settings.data, restore=restore))

    async def _keep_from_settings(self) -> int:
        return self._settings.backup_keep

    def _started_record(self) -> Record:
        record = read_record(self._settings.data)
        if not has_record(self._settings.data):
            # The schedule starts now.
            write_record(self._settings.data, record)
        return record

    def listed(self) -> list[BackupFile]:
        """Return the backups, newest first. Blocks."""
        record = read_record(self._settings.data)
        return [_to_backup(path, record) for path in self._files()]

    def _state(self, keep: int) -> BackupState:
        record, now = read_record(self._settings.data), self._clock()
        due = next_due(self._settings.backup_time, now)
        return BackupState(
            folder=str(self._folder),
            time=None if self._settings.backup_time == OFF else self._settings.backup_time,
            keep=keep,
            next_at=int(due) if due is not None else None,
            running=self._running.locked(),
            overdue=is_overdue(record, self._settings.backup_time, now),
            error=record.error,
            restore=record.restore,
            restored=record.restored,
            backups=self.listed(),
        )

    def make_now(self, keep: int) -> BackupFile:
        """Like `make`, but blocks; for commands."""
        now = int(self._clock())
        try:
            path = self._write()
        except FAILURES as error:
            problem = backup_problem(error)
            log.error("backup failed: %s", problem_text(problem))
            change_record(self._settings.data, attempted_at=now, error=problem)
            raise
        self._prune(keep)
        names = {each.name for each in self._files()}
        results = {
            name: result
            for name, result in read_record(self._settings.data).results.items()
            if name in names
        }
        record = change_record(
            self._settings.data,
            attempted_at=now,
            error=None,
            succeeded_at=now,
            results={**results, path.name: Result(now)},
        )
        made = _to_backup(path, record)
        log.info("backup %s written and verified: %d bytes", made.name, made.bytes)
        return made

    def _write(self) -> Path:
        self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        remove_leftovers(self._folder)
        path = self._new_path()
        back_up(self._service, self._settings, path)
        try:
            verify(self._service, self._settings, path)
        except (BackupError, OSError):
            # Not a backup that could be restored.
            path.unlink(missing_ok=True)
            raise
        return path

    def _prune(self, keep: int) -> int:
        old = self._files()[max(keep, 1) :]
        for path in old:
            path.unlink(missing_ok=True)
            log.info("backup %s deleted: only %d are kept", path.name, keep)
        return len(old)

    def _new_path(self) -> Path:
        stem = f"{self._service.name}-{time.strftime('%Y%m%d-%H%M%S', time.gmtime(self._clock()))}"
        names = (f"{stem}{more}{_ENDING}" for more in ("", *(f"-{n}" for n in range(2, 1000))))
        return next(path for name in names if not (path := self._folder / name).exists())

    def _files(self) -> list[Path]:
        """Return the backups, newest first: a name contains the time, which survives copying."""
        found = self._folder.glob(f"{self._service.name}-[0-9]*-[0-9]*{_ENDING}")
        files = [path for path in found if path.is_file() and not path.is_symlink()]
        return sorted(files, key=lambda path: path.name, reverse=True)


def _to_backup(path: Path, record: Record) -> BackupFile:
    stat, result = path.stat(), record.results.get(path.name)
    return BackupFile(
        path.name,
        stat.st_size,
        int(stat.st_mtime),
        result.at if result and result.error is None else None,
        result.error if result else None,
    )
