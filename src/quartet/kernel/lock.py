import fcntl
from pathlib import Path
from typing import IO


class FolderInUse(Exception):
    pass


class FolderLock:
    """An exclusive lock on a data folder. The system releases it when the process ends."""

    def __init__(self, folder: Path) -> None:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        self._file: IO[bytes] = (folder / ".lock").open("ab")
        try:
            fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            self._file.close()
            raise FolderInUse(folder) from error

    def release(self) -> None:
        self._file.close()
