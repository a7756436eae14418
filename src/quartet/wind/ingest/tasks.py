import asyncio

from quartet.kernel.supervisor import BackgroundTask, Run, every
from quartet.wind.ingest.service import Ingest, loop_name
from quartet.wind.models.types import Model

LOOK_SECONDS = 60.0
# The first look waits, so that a service that is restarted at once sends no requests.
FIRST_LOOK_SECONDS = 10.0


def ingest_loops(
    ingest: Ingest, pause: float = LOOK_SECONDS, *, wait: bool = True
) -> list[BackgroundTask]:
    """Return one task per model, so that a late provider delays no other model."""
    first = FIRST_LOOK_SECONDS if wait else 0
    return [
        every(pause, _looking(ingest, model, first), name=loop_name(model), jitter=pause / 4)
        for model in ingest.known
    ]


def _looking(ingest: Ingest, model: Model, first: float) -> Run:
    waits = iter([first])

    async def look() -> None:
        await asyncio.sleep(next(waits, 0))
        await ingest.look(model)

    return look
