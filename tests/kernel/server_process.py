"""Starts `server_app.py` as a child process."""

import asyncio
import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

APP = Path(__file__).with_name("server_app.py")


@dataclass
class Process:
    process: subprocess.Popen[str]
    ports: dict[str, int]

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{next(iter(self.ports.values()))}"

    def cpu_seconds(self) -> float:
        """Return the CPU time used so far."""
        fields = Path(f"/proc/{self.process.pid}/stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    async def end(self, number: int = signal.SIGTERM) -> int:
        """Return the exit code."""
        self.process.send_signal(number)
        return await asyncio.to_thread(self.process.wait, 60)


def spawn(folder: Path, **options: Any) -> subprocess.Popen[str]:
    told = json.dumps({"apps": ["app"], "folder": str(folder), **options})
    # Treat warnings as errors here too.
    command = [sys.executable, "-W", "error", str(APP), told]
    pipe = subprocess.PIPE
    return subprocess.Popen(command, stdout=pipe, stderr=pipe, text=True)


@contextmanager
def serving(folder: Path, **options: Any) -> Iterator[Process]:
    with spawn(folder, **options) as process:
        try:
            assert process.stdout is not None
            yield Process(process, json.loads(process.stdout.readline()))
        finally:
            process.kill()


async def outcome(process: subprocess.Popen[str]) -> tuple[int, str]:
    with process:
        try:
            _, errors = await asyncio.to_thread(process.communicate, timeout=60)
        finally:
            process.kill()
    return process.returncode, errors
