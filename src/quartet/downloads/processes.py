"""Programs that were started in a session of their own."""

import os
import signal
from asyncio.subprocess import Process
from contextlib import suppress


def end(process: Process) -> None:
    """With all it has started, which may outlive it: as long, its number is nobody else's."""
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, signal.SIGKILL)
