import asyncio

from quartet.kernel.supervisor import BackgroundTask
from quartet.media.rules.service import RuleSets

_PAUSE = 300.0


def pattern_worker_task(rule_sets: RuleSets) -> BackgroundTask:
    """Stop the child process that runs patterns now and then, and at shutdown."""

    async def run() -> None:
        try:
            while True:
                await asyncio.sleep(_PAUSE)
                await asyncio.to_thread(rule_sets.patterns.close)
        finally:
            rule_sets.patterns.close()

    return BackgroundTask("patterns", run)
