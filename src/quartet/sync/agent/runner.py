"""`quartet agent run`: an engine and a connection, until told to stop."""

import asyncio
import contextlib
import logging
import signal
import sys
import time
from pathlib import Path

from quartet.sync.agent.client import Client
from quartet.sync.agent.desk import Desk
from quartet.sync.agent.lock import AgentLock
from quartet.sync.agent.paths import Grounds
from quartet.sync.agent.store import Joined, Store
from quartet.sync.engine import Engine, provide
from quartet.sync.engine.together import together

log = logging.getLogger("quartet.sync.agent")

STOP_FILE = "stop"
STOP_CHECK_SECONDS = 1.0


async def run_agent(folder: Path) -> None:
    """Returns when it was asked to stop; fails when the engine ends by itself."""
    started = time.time()
    lock = AgentLock(folder)
    try:
        store = Store(folder)
        joined = store.joined()
        desk = Desk(store, grounds_of(joined, folder))
        given = Path(joined.engine) if joined.engine else None
        program = await provide(given, folder / "programs")
        engine = Engine(program, folder / "engine", on_status=desk.folder_changed)
        await engine.start()
        log.info("engine %s is %s", engine.version, engine.id)
        try:
            desk.serve(engine)
            client = Client(store, engine, desk)
            await together(_stop_asked(folder, started), engine.run(), client.run())
        finally:
            await engine.stop()
    finally:
        lock.release()


def grounds_of(joined: Joined, folder: Path) -> Grounds:
    home = Path.home()
    allowed = [Path(each) for each in joined.allow] or [home]
    return Grounds(allowed, home, folder)


async def _stop_asked(folder: Path, started: float) -> None:
    """A signal, or where there are none a file; one older than us was meant for another."""
    asked = asyncio.Event()
    if sys.platform != "win32":
        for number in (signal.SIGTERM, signal.SIGINT):
            asyncio.get_running_loop().add_signal_handler(number, asked.set)
    while not asked.is_set() and not is_stop_file(folder / STOP_FILE, started):
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(asked.wait(), STOP_CHECK_SECONDS)
    log.info("stopping")


def is_stop_file(path: Path, started: float) -> bool:
    try:
        return path.stat().st_mtime >= started
    except OSError:
        return False
