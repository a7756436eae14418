import asyncio

from quartet.kernel.supervisor import BackgroundTask
from quartet.media.probe.service import Prober

_PAUSE = 60.0


def probe_task(prober: Prober) -> BackgroundTask:
    """Stop idle child processes regularly, and all of them at shutdown."""

    async def run() -> None:
        try:
            while True:
                await asyncio.sleep(_PAUSE)
                await prober.close_idle()
        finally:
            await prober.close_idle()

    return BackgroundTask("probe", run)
