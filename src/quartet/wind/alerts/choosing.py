"""Which model an alarm follows."""

import time as clocks
from collections.abc import Callable, Iterable, Sequence

from quartet.kernel.errors import AppError
from quartet.wind.grid.catalogue import Catalogue
from quartet.wind.models.types import Model
from quartet.wind.places.coordinates import Coordinates
from quartet.wind.ranking.service import Rankings
from quartet.wind.ranking.types import Ranking

_DAY_HOURS = 24


class Choosing:
    """Chosen now and then and not at each run: models that are equally good must not take turns."""

    def __init__(
        self,
        models: Sequence[Model],
        rankings: Rankings,
        catalogue: Catalogue,
        clock: Callable[[], float] = clocks.time,
    ) -> None:
        self._models = models
        self._rankings = rankings
        self._catalogue = catalogue
        self._clock = clock
        self._names = {model.id: model.name for model in models}

    def name_of(self, model: str) -> str:
        return self._names.get(model, model)

    def require(self, model: str | None, lat: float, lon: float) -> None:
        """That a wanted model says something about a place."""
        if model is not None and all(each.id != model for each in self._covering(lat, lon)):
            raise AppError(400, "model_unavailable", model=model)

    async def model_for(
        self,
        lat: float,
        lon: float,
        lead_hours: int,
        wanted: str | None,
        current: str | None = None,
    ) -> str | None:
        """The wanted one, else the best at the station nearby, else the finest that covers it.

        Where nobody can be compared it stays as it is: measurements come late after a start.
        """
        covering = self._coming(self._covering(lat, lon), first=current is None)
        if not covering:
            return None
        if wanted is not None and any(each.id == wanted for each in covering):
            return wanted
        farthest = max(each.reach_hours for each in covering)
        reach = min(lead_hours, farthest)
        far_enough = [each.id for each in covering if each.reach_hours >= reach]
        near = await self._rankings.nearest(Coordinates(lat, lon))
        ranked = _ranked(near.ranking, lead_hours) if near else ()
        best = next((model for model in ranked if model in far_enough), None)
        return best or (current if current in far_enough else far_enough[0])

    def _coming(self, models: list[Model], *, first: bool) -> list[Model]:
        """Where some bring new runs, those alone.

        Or one that never came, but only at first: it may be on its way.
        """
        runs, now = self._catalogue.newest_runs, self._clock()
        fresh = {
            model.id
            for model in models
            if model.id in runs and now - runs[model.id].run <= model.longest
        }
        if not fresh:
            return models
        return [each for each in models if each.id in fresh or (first and each.id not in runs)]

    def _covering(self, lat: float, lon: float) -> list[Model]:
        """The finest first."""
        return [
            model
            for model in self._models
            if model.area is None
            or (model.area.w <= lon <= model.area.e and model.area.s <= lat <= model.area.n)
        ]


def _ranked(ranking: Ranking, lead_hours: int) -> Iterable[str]:
    """Best first, by how they did so many hours ahead, or else by the hours before."""
    last = min((lead_hours - 1) // _DAY_HOURS, len(ranking.buckets) - 1)
    for bucket in reversed(ranking.buckets[: last + 1]):
        if bucket.rows:
            return [row.model for row in bucket.rows]
    return []
