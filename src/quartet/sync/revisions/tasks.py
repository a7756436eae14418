import asyncio
from contextlib import suppress

from quartet.kernel.events import EventHub
from quartet.kernel.supervisor import BackgroundTask
from quartet.sync.revisions.service import TOPIC, Revisions

# A server may be killed between its commit and the news of it.
LOOK_SECONDS = 5.0


def revisions_loop(revisions: Revisions, events: EventHub) -> BackgroundTask:
    """Follows what other servers on the same database change."""
    changed = asyncio.Event()
    events.on(TOPIC, lambda _revision: changed.set())

    async def run() -> None:
        while True:
            with suppress(TimeoutError):
                await asyncio.wait_for(changed.wait(), LOOK_SECONDS)
            changed.clear()
            await revisions.catch_up()

    return BackgroundTask("revisions", run, restart_on_return=True, everywhere=True)
