import asyncio
from collections.abc import Awaitable, Callable

from quartet.kernel.supervisor import BackgroundTask
from quartet.sync.desired.tasks import when_needed
from quartet.sync.desired.types import NoHub
from quartet.sync.hub.service import Hub
from quartet.sync.hub.tasks import loops as engine_loops
from quartet.sync.hubs.service import Hubs
from quartet.sync.hubs.types import alone
from quartet.sync.revisions.service import Revisions
from quartet.sync.servers.hub import SharedHub


async def _nothing() -> None:
    pass


def hub_loops(
    engine: Hub | NoHub,
    hub: SharedHub,
    hubs: Hubs,
    revisions: Revisions,
    prepare: Callable[[], Awaitable[None]] = _nothing,
) -> list[BackgroundTask]:
    """In the one server that has this hub."""
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

    kept = BackgroundTask("hub-kept", keep, restart_on_return=True, exclusive=name)
    loops = engine_loops(engine, name) if isinstance(engine, Hub) else []
    return [
        BackgroundTask("hub-owner", own, restart_on_return=True, exclusive=name),
        # Nobody else has to find it where there is one server.
        *([] if hubs.alone else [kept]),
        *(when_needed(loop, revisions) for loop in loops),
    ]
