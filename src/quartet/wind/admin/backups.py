"""Backups in the data folder: create, list, download and delete."""

import asyncio
import errno
import time
from pathlib import Path
from typing import Any

import msgspec

from quartet.kernel.backup import back_up
from quartet.kernel.errors import AppError
from quartet.kernel.service import Service
from quartet.wind.settings import WindSettings

_ENDING = ".tar.gz"


class Backup(msgspec.Struct, frozen=True, rename="camel"):
    name: str
    bytes: int
    created_at: int


class Backups:
    def __init__(self, service: Service[Any], settings: WindSettings) -> None:
        self._service = service
        self._settings = settings
        self._folder = settings.data / "backups"
        self._making = asyncio.Lock()

    async def everything(self) -> list[Backup]:
        """List the backups, newest first."""
        return [_to_backup(path) for path in await asyncio.to_thread(self._files)]

    async def make(self, keep: int) -> Backup:
        """Create a backup while the service runs, and keep only the newest `keep` backups."""
        if self._making.locked():
            raise AppError(409, "already_running")
        async with self._making:
            return await asyncio.to_thread(self._make, keep)

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
        (await self.path_of(name)).unlink(missing_ok=True)

    async def prune(self, keep: int) -> int:
        old = (await asyncio.to_thread(self._files))[keep:]
        for path in old:
            path.unlink(missing_ok=True)
        return len(old)

    def _make(self, keep: int) -> Backup:
        self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        target = self._new_name()
        try:
            back_up(self._service, self._settings, target)
        except OSError as error:
            if error.errno in (errno.ENOSPC, errno.EDQUOT):
                raise AppError(507, "disk_full") from None
            raise
        for old in self._files()[keep:]:
            old.unlink(missing_ok=True)
        return _to_backup(target)

    def _new_name(self) -> Path:
        stem = f"{self._service.name}-{time.strftime('%Y%m%d-%H%M%S', time.gmtime())}"
        names = (f"{stem}{more}{_ENDING}" for more in ("", *(f"-{n}" for n in range(2, 1000))))
        return next(path for name in names if not (path := self._folder / name).exists())

    def _files(self) -> list[Path]:
        found = self._folder.glob(f"{self._service.name}-*{_ENDING}")
        files = [path for path in found if path.is_file() and not path.is_symlink()]
        return sorted(files, key=lambda path: (path.stat().st_mtime, path.name), reverse=True)


def _to_backup(path: Path) -> Backup:
    stat = path.stat()
    return Backup(path.name, stat.st_size, int(stat.st_mtime))
