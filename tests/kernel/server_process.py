"""Starts `server_app.py` as a child process."""

import asyncio
import json
import signal
import subprocess
import sys
import time
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

    async def end(self, number: int = signal.SIGTERM) -> tuple[int, float]:
        """Return the exit code and the seconds until the exit."""
        began = time.monotonic()
        self.process.send_signal(number)
        code = await asyncio.to_thread(self.process.wait, 20)
        return code, time.monotonic() - began


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
            _, errors = await asyncio.to_thread(process.communicate, timeout=20)
        finally:
            process.kill()
    return process.returncode, errors
