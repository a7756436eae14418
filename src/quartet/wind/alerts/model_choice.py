"""Chooses the model that an alert uses."""

import time as clocks
from collections.abc import Callable, Iterable, Sequence

from quartet.kernel.errors import AppError
from quartet.wind.blend.types import BEST
from quartet.wind.grid.catalogue import Catalogue
from quartet.wind.models.types import Model
from quartet.wind.places.coordinates import Coordinates
from quartet.wind.ranking.service import Rankings
from quartet.wind.ranking.types import Ranking


class ModelChoice:
    """Model choice for alerts.

    It is made every few hours instead of at each run, so that equally good models do not alternate.
    """

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
        self._names = {BEST: "Best"} | {model.id: model.name for model in models}

    def name_of(self, model: str) -> str:
        return self._names.get(model, model)

    def require(self, model: str | None, lat: float, lon: float) -> None:
        """Raise an error if the requested model does not cover the place."""
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
        """Return the requested model, else the most accurate one at the nearest station.

        Without a ranking keep the current model, else take the finest that covers the place:
        measurements arrive some time after a start.
        """
        covering = self._with_fresh_runs(self._covering(lat, lon), first=current is None)
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

    def _with_fresh_runs(self, models: list[Model], *, first: bool) -> list[Model]:
        """Keep models with a fresh run; if none is fresh, keep all.

        For the first choice, also keep models without a run, because it may still be downloading.
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
        """Return the models that cover a place, finest first."""
        return [
            model
            for model in self._models
            if model.area is None
            or (model.area.w <= lon <= model.area.e and model.area.s <= lat <= model.area.n)
        ]


def _ranked(ranking: Ranking, lead_hours: int) -> Iterable[str]:
    """Return the ranked models for the lead time, falling back to shorter lead times."""
    for bucket in reversed(ranking.buckets):
        if bucket.hours[0] < lead_hours and bucket.rows:
            return [row.model for row in bucket.rows]
    return []
