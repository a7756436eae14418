import asyncio
import time
from contextlib import suppress

from quartet.kernel.supervisor import BackgroundTask
from quartet.sync.agents.reports import Reports
from quartet.sync.agents.service import Agents
from quartet.sync.config.service.revisions import Revisions
from quartet.sync.hub.service import Hubs

# The hub shall have a folder before a device offers it; but a hub that is ill holds nobody up.
HUB_SECONDS = 5.0
FLUSH_SECONDS = 2.0
ONLINE_SECONDS = 60.0


def desired_loop(
    revisions: Revisions, agents: Agents, hubs: Hubs, changed: asyncio.Event
) -> BackgroundTask:
    """`changed` is set at every new revision, and when the address of a hub has changed."""

    async def run() -> None:
        while True:
            # Before the first change too: the server may have ended between commit and hub.
            changed.clear()
            with suppress(TimeoutError):
                async with asyncio.timeout(HUB_SECONDS):
                    await hubs.reconcile(revisions.current)
            await agents.spread()
            await changed.wait()

    return BackgroundTask("desired", run, restart_on_return=True)


def reports_loop(agents: Agents, reports: Reports) -> BackgroundTask:
    async def run() -> None:
        marked = time.monotonic()
        try:
            while True:
                await asyncio.sleep(FLUSH_SECONDS)
                if time.monotonic() - marked > ONLINE_SECONDS:
                    marked = time.monotonic()
                    agents.mark_online()
                await reports.flush()
        finally:
            await reports.flush()

    return BackgroundTask("reports", run, restart_on_return=True)
