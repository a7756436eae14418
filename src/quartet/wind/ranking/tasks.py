import asyncio

from quartet.kernel.supervisor import BackgroundTask, every
from quartet.wind.grid.catalogue import Catalogue
from quartet.wind.leadership import WORK
from quartet.wind.ranking.service import Rankings

_LOOK_SECONDS = 60.0
_DAY = 86400.0
# Wait for measurements, which decide which stations are live.
_FIRST_SECONDS = 30.0


def ranking_loops(rankings: Rankings, catalogue: Catalogue) -> list[BackgroundTask]:
    async def keep() -> None:
        for runs in list(catalogue.models.values()):
            for run in runs:
                # Of ensembles the spread is kept.
                if not run.header.has_waves:
                    await rankings.keep(run)

    async def prune() -> None:
        await asyncio.sleep(_FIRST_SECONDS)
        await rankings.prune()

    return [
        every(_LOOK_SECONDS, keep, name="keep forecasts", exclusive=WORK),
        every(_DAY, prune, name="prune forecasts", exclusive=WORK),
    ]
