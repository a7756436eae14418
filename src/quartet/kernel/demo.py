"""Helpers for the demos of all services."""

import asyncio
import secrets
from collections.abc import Awaitable, Callable
from pathlib import Path

from quartet.kernel.supervisor import BackgroundTask

_PASSWORD_FILE = "demo-password"  # noqa: S105 - the name of a file
_FILLED_FILE = "demo-filled"


def demo_loop(seconds: float, run: Callable[[], Awaitable[None]], name: str) -> BackgroundTask:
    """Return a task that keeps a demo moving; it runs after each pause of this length."""

    async def repeat() -> None:
        while True:
            await asyncio.sleep(seconds)
            await run()

    return BackgroundTask(name, repeat)


def demo_password(data: Path, set_password: Callable[[str], None]) -> str:
    """Return the demo password; generate and store it on the first start."""
    file = data / _PASSWORD_FILE
    if not file.exists():
        password = secrets.token_urlsafe(9)
        set_password(password)
        file.touch(mode=0o600)
        file.write_text(password)
    return file.read_text()


def demo_data_task(data: Path, fill: Callable[[], Awaitable[None]]) -> BackgroundTask:
    """Return a task that adds sample data once and never overwrites later changes."""
    filled = data / _FILLED_FILE

    async def run() -> None:
        if not filled.exists():
            await fill()
            filled.touch()

    return BackgroundTask("demo", run)
