"""Ends programs that run in their own session."""

import os
import signal
from asyncio.subprocess import Process
from contextlib import suppress


def kill_group(process: Process) -> None:
    """Kill the process group, which includes all child processes."""
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, signal.SIGKILL)
