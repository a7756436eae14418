import asyncio

from quartet.kernel.supervisor import BackgroundTask
from quartet.media.probe.service import Prober

_PAUSE = 60.0


def probe_loop(prober: Prober) -> BackgroundTask:
    """Ends child processes that have nothing to do, and all of them at the end."""

    async def run() -> None:
        try:
            while True:
                await asyncio.sleep(_PAUSE)
                await prober.rest()
        finally:
            await prober.rest()

    return BackgroundTask("probe", run)
