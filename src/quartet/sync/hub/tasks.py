import asyncio
from collections.abc import Awaitable, Callable

from quartet.kernel.supervisor import BackgroundTask
from quartet.sync.config.service.revisions import Revisions
from quartet.sync.config.types.revisions import Config
from quartet.sync.hub.local import LocalHub
from quartet.sync.hub.service import Hubs
from quartet.sync.hub.shared import SharedHub
from quartet.sync.hub.types import NoHub, alone


async def _nothing() -> None:
    pass


def hub_loops(
    engine: LocalHub | NoHub,
    hub: SharedHub,
    hubs: Hubs,
    revisions: Revisions,
    prepare: Callable[[], Awaitable[None]] = _nothing,
) -> list[BackgroundTask]:
    """Return the loops of the server that runs this hub.

    `prepare` is called before the server takes the hub over.
    """
    name = alone(hub.name)

    async def own() -> None:
        await prepare()
        hub.own()
        try:
            await asyncio.Event().wait()
        finally:
            hub.disown()

    async def keep() -> None:
        await hubs.keep(hub)

    loops = [BackgroundTask("hub-owner", own, restart_on_return=True, exclusive=name)]
    # A single server does not need the stored location.
    if not hubs.alone:
        loops.append(BackgroundTask("hub-kept", keep, restart_on_return=True, exclusive=name))
    if isinstance(engine, LocalHub):
        loops.append(_engine_loop(engine, revisions, name))
    return loops


def _engine_loop(engine: LocalHub, revisions: Revisions, name: str) -> BackgroundTask:
    """Start the hub's engine once the configuration has a device or a folder."""
    needed = asyncio.Event()

    def check(config: Config) -> None:
        if config.devices or config.folders:
            needed.set()

    async def run() -> None:
        await needed.wait()
        await engine.run()

    check(revisions.current)
    revisions.listeners.append(check)
    return BackgroundTask("hub", run, restart_on_return=True, exclusive=name)
