import asyncio

from quartet.kernel.supervisor import BackgroundTask, every
from quartet.sync.hubfiles.conflicts.service import SEARCH_SECONDS, Conflicts

# The engine reports many files one by one; collect them.
GATHER_SECONDS = 0.3


def conflict_tasks(conflicts: Conflicts) -> list[BackgroundTask]:
    async def follow() -> None:
        while True:
            await conflicts.hinted.wait()
            await asyncio.sleep(GATHER_SECONDS)
            await conflicts.follow_hints()

    return [
        every(SEARCH_SECONDS, conflicts.search, name="conflicts", exclusive="hub"),
        BackgroundTask("conflict-hints", follow, restart_on_return=True, exclusive="hub"),
    ]
