import asyncio
import time
from contextlib import suppress

from quartet.kernel.supervisor import BackgroundTask
from quartet.sync.agents.reports import Reports
from quartet.sync.agents.service import Agents
from quartet.sync.config.service.revisions import Revisions
from quartet.sync.config.types.revisions import Config
from quartet.sync.hub.service import Hubs

# The hub should know some devices and folders before the devices do, but a failing hub must not
# block them.
HUB_SECONDS = 5.0
FLUSH_SECONDS = 2.0
ONLINE_SECONDS = 60.0


def desired_state_task(
    revisions: Revisions, agents: Agents, hubs: Hubs, changed: asyncio.Event
) -> BackgroundTask:
    """Apply and send the desired states whenever `changed` is set."""

    async def run() -> None:
        applied = Config(0)
        while True:
            # Also run once at start: the server may have stopped between the commit and this step.
            changed.clear()
            config = revisions.current
            # Both engines need several milliseconds, so they work at the same time.
            early, was_applied = await asyncio.gather(
                agents.send_early_states(applied), reconcile(config)
            )
            await agents.send_desired_states(early)
            if was_applied:
                applied = config
            await changed.wait()

    async def reconcile(config: Config) -> bool:
        with suppress(TimeoutError):
            async with asyncio.timeout(HUB_SECONDS):
                await hubs.reconcile(config)
                return True
        return False

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
