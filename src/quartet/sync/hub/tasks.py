import asyncio
from collections.abc import Awaitable, Callable

from quartet.kernel.supervisor import BackgroundTask
from quartet.sync.config.service.revisions import Revisions
from quartet.sync.config.types.revisions import Config
from quartet.sync.hub.local import LocalHub
from quartet.sync.hub.service import Hubs
from quartet.sync.hub.shared import SharedHub
from quartet.sync.hub.types import NoHub, lock_name


async def _nothing() -> None:
    pass


def hub_tasks(
    engine: LocalHub | NoHub,
    hub: SharedHub,
    hubs: Hubs,
    revisions: Revisions,
    prepare: Callable[[], Awaitable[None]] = _nothing,
) -> list[BackgroundTask]:
    """Return the tasks of the server that runs this hub.

    `prepare` is called before the server takes the hub over.
    """
    name = lock_name(hub.name)

    async def own() -> None:
        await prepare()
        hub.take_ownership()
        try:
            await asyncio.Event().wait()
        finally:
            hub.give_up_ownership()

    async def keep() -> None:
        await hubs.store_location(hub)

    loops = [BackgroundTask("hub-owner", own, restart_on_return=True, exclusive=name)]
    # A single server does not need the stored location.
    if not hubs.single_server:
        loops.append(BackgroundTask("hub-kept", keep, restart_on_return=True, exclusive=name))
    if isinstance(engine, LocalHub):
        loops.append(_engine_task(engine, revisions, name))
    return loops


def _engine_task(engine: LocalHub, revisions: Revisions, name: str) -> BackgroundTask:
    """Start the hub's engine once the configuration has a device or a folder."""

    def check(config: Config) -> None:
        if config.devices or config.folders:
            engine.needed.set()

    async def run() -> None:
        await engine.needed.wait()
        await engine.run()

    check(revisions.current)
    revisions.listeners.append(check)
    return BackgroundTask("hub", run, restart_on_return=True, exclusive=name)
