"""Real Syncthing engines on loopback."""

import asyncio
import os
import shutil
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from quartet.sync.engine import DiskChange, Engine, EngineConfig, EngineFolder, EnginePeer, Program
from quartet.sync.engine.program import probe
from tests.prerequisites import missing_prerequisite
from tests.waiting import pauses

# Engines that lost their connection three times wait before they dial again.
PATIENCE = 90.0
# Names a folder with other versions of Syncthing, one file each.
FURTHER_ENGINES = "QUARTET_TEST_ENGINES"


def other_engines() -> list[Path]:
    """Return the versions of Syncthing with which the tests run again."""
    named = os.environ.get(FURTHER_ENGINES)
    if not named:
        return []
    found = sorted(each.absolute() for each in Path(named).iterdir() if os.access(each, os.X_OK))
    if not found:
        raise FileNotFoundError(f"no program in {named}")
    return found


def program_path() -> Path:
    found = shutil.which("syncthing")
    if found is None:
        missing_prerequisite("syncthing is not installed")
    return Path(found)


async def program() -> Program:
    return await probe(program_path())


async def eventually(check: Callable[[], Any] | Callable[[], Awaitable[Any]]) -> Any:
    """Wait until `check` returns a true value, and return it."""
    deadline, pause = time.monotonic() + PATIENCE, pauses()
    while True:
        found = check()
        if asyncio.iscoroutine(found):
            found = await found
        if found:
            return found
        assert time.monotonic() < deadline, "timed out"
        await asyncio.sleep(next(pause))


class LoggedEngine(Engine):
    """An engine that records its disk changes."""

    changes: list[DiskChange]
    ended: asyncio.Task[None]
    address: str


# A hub and a device.
EnginePair = tuple[LoggedEngine, LoggedEngine]


@asynccontextmanager
async def engine(home: Path, *, port: int = 0, **options: Any) -> AsyncIterator[LoggedEngine]:
    address = f"tcp://127.0.0.1:{port}"
    changes: list[DiskChange] = []
    made = LoggedEngine(
        await program(), home, listen=[address], on_changes=changes.extend, **options
    )
    made.changes, made.address = changes, address
    await made.start()
    made.ended = asyncio.create_task(made.run())
    try:
        yield made
    finally:
        made.ended.cancel()
        await asyncio.gather(made.ended, return_exceptions=True)
        await made.stop()


def config(peer: LoggedEngine, *folders: EngineFolder) -> EngineConfig:
    return EngineConfig([EnginePeer(peer.id, "peer", (peer.address,))], list(folders))


def folder(ident: str, path: Path, *peers: LoggedEngine, **more: Any) -> EngineFolder:
    return EngineFolder(
        id=ident, label=ident, path=str(path), peers=[each.id for each in peers], **more
    )


async def arrives(path: Path, content: str) -> None:
    await eventually(lambda: path.is_file() and path.read_text() == content)
