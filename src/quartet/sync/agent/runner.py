"""Implements `quartet agent run`: runs the engine and the connection until a stop is requested."""

import asyncio
import contextlib
import logging
import signal
import sys
import time
from pathlib import Path

from quartet.sync.agent.applier import DesiredStateApplier
from quartet.sync.agent.client import Client
from quartet.sync.agent.hub_route import HubRoute
from quartet.sync.agent.lock import AgentLock
from quartet.sync.agent.paths import PathPolicy
from quartet.sync.agent.places import default_places
from quartet.sync.agent.store import JoinedServer, Store
from quartet.sync.agent.tunnel import HubTunnel
from quartet.sync.engine import Engine, find_or_download
from quartet.sync.engine.concurrency import run_until_first_exit

log = logging.getLogger("quartet.sync.agent")

STOP_FILE = "stop"
STOP_CHECK_SECONDS = 1.0


async def run_agent(folder: Path) -> None:
    """Return when asked to stop; raise if the engine exits unexpectedly."""
    started = time.time()
    lock = AgentLock(folder)
    try:
        store = Store(folder)
        joined = store.joined()
        applier = DesiredStateApplier(store, lambda: path_policy(store.joined(), folder))
        given = Path(joined.engine) if joined.engine else None
        program = await find_or_download(
            given, folder / "programs", folder / "engine", relay=joined.server
        )
        engine = Engine(
            program, folder / "engine", on_status=applier.folder_changed, completions=True
        )
        await engine.start()
        log.info("started Syncthing %s with id %s", engine.version, engine.id)
        try:
            client = Client(store, engine, applier)
            route = HubRoute(HubTunnel(client.open_tunnel), applier.apply_again)
            applier.attach(engine, route)
            await run_until_first_exit(
                _wait_for_stop(folder, started),
                engine.run(),
                client.run(),
                route.run(engine, applier.report_again),
            )
        finally:
            await engine.stop()
    finally:
        lock.release()


def path_policy(joined: JoinedServer, folder: Path) -> PathPolicy:
    home = Path.home()
    allowed = [Path(each) for each in joined.allow] or default_places(home)
    return PathPolicy(allowed, home, folder)


async def _wait_for_stop(folder: Path, started: float) -> None:
    """Wait for a signal or, on Windows, for a stop file newer than this process."""
    asked = asyncio.Event()
    if sys.platform != "win32":
        for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
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
