"""Ensures that only one agent runs in a folder, on every operating system."""

import sys
from pathlib import Path

from quartet.sync.agent.errors import AgentError

if sys.platform == "win32":
    import msvcrt
else:
    import fcntl


class AgentLock:
    """A lock file; the operating system releases the lock when the process dies."""

    def __init__(self, folder: Path) -> None:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        self._file = (folder / "lock").open("ab")
        try:
            if sys.platform == "win32":
                msvcrt.locking(self._file.fileno(), msvcrt.LK_NBLCK, 1)
            else:
                fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            self._file.close()
            raise AgentError(f"another agent is running in {folder}") from error

    def release(self) -> None:
        self._file.close()


def is_running(folder: Path) -> bool:
    try:
        AgentLock(folder).release()
    except AgentError:
        return True
    return False
