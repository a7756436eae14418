import asyncio
import time
from contextlib import suppress

from quartet.kernel.supervisor import BackgroundTask
from quartet.sync.agents.reports import Reports
from quartet.sync.agents.service import Agents
from quartet.sync.config.service.revisions import Revisions
from quartet.sync.hub.service import Hubs

# The hub should have a folder before devices offer it, but a failing hub must not block them.
HUB_SECONDS = 5.0
FLUSH_SECONDS = 2.0
ONLINE_SECONDS = 60.0


def desired_state_task(
    revisions: Revisions, agents: Agents, hubs: Hubs, changed: asyncio.Event
) -> BackgroundTask:
    """Apply and send the desired states whenever `changed` is set."""

    async def run() -> None:
        while True:
            # Also run once at start: the server may have stopped between the commit and this step.
            changed.clear()
            with suppress(TimeoutError):
                async with asyncio.timeout(HUB_SECONDS):
                    await hubs.reconcile(revisions.current)
            await agents.send_desired_states()
            await changed.wait()

    return BackgroundTask("desired", run, restart_on_return=True)


def reports_task(agents: Agents, reports: Reports) -> BackgroundTask:
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
