"""Best as it is shown: the blend of a place with its uncertainty and its explanation."""

import asyncio
import time as clocks
from collections import OrderedDict
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

import msgspec
from msgspec import UNSET, UnsetType

from quartet.wind.blend.service import Blends, Knowledge
from quartet.wind.blend.types import BestForecast, Calibrated
from quartet.wind.places.coordinates import Coordinates
from quartet.wind.places.water_spots import WaterSpots
from quartet.wind.stations.types import KnownStation

if TYPE_CHECKING:
    from quartet.wind.blend.learning import Learnt
    from quartet.wind.blend.prediction import Best, ModelWinds
    from quartet.wind.blend.spreads import Spreads
    from quartet.wind.grid.arrays import Doubles
    from quartet.wind.grid.forecast import Forecast
    from quartet.wind.grid.land import Surface

_HOUR = 3600
_HOURS = 10 * 24
_NEXT_HOURS = 24
_ISSUED_HOURS = 73
_PULL_SECONDS = 300.0
_MOST_PULLS = 2000
_QUANTILES = (0.1, 0.5, 0.9)


class BlendInputs(NamedTuple):
    """Forecasts in the order of the models, and what was learnt about each place."""

    forecasts: "list[Forecast | None]"
    learnt: "Learnt"
    # How many measurements were below each part of the predicted distribution.
    shares: "Doubles"
    # In the order of the catalogue of ensembles.
    ensembles: "list[Forecast | None]"
    water_spots: WaterSpots

    @property
    def run(self) -> int:
        """The start of the newest run."""
        return max(each.run for each in self.forecasts if each is not None)


class IssuedBlend(NamedTuple):
    """What the models and Best say about a place, and the shares of its distribution."""

    winds: "ModelWinds"
    best: "Best"
    shares: "Doubles"


class _Pull(NamedTuple):
    """How far the last measurement of a station is from Best, and its time in hours."""

    knots: float
    hour: float


_NO_PULL = _Pull(0.0, 0.0)


class BestForecasts:
    """`longest` maps model ids to the age at which runs are outdated."""

    def __init__(
        self, blends: Blends, longest: Mapping[str, int], clock: Callable[[], float] = clocks.time
    ) -> None:
        self._blends = blends
        self._longest = longest
        self._clock = clock
        # Expiry time and the pull of each station.
        self._pulls: OrderedDict[int, tuple[float, _Pull]] = OrderedDict()

    @property
    def models(self) -> list[str]:
        return self._blends.models

    def current(self) -> "list[Forecast | None]":
        """Return the forecasts in the order of the models; None for missing and outdated ones."""
        return self._fresh(self._blends.models)

    def ensembles(self) -> "list[Forecast | None]":
        """Return the ensembles in the order of the catalogue, like `current`."""
        return self._fresh(self._blends.ensembles)

    @property
    def _water_spots(self) -> WaterSpots:
        return self._blends.catalogue.water_spots

    def _fresh(self, ids: Sequence[str]) -> "list[Forecast | None]":
        now, known = self._clock(), self._blends.catalogue.forecasts
        found = [known.get(each) for each in ids]
        return [
            each if each is not None and now - each.run <= self._longest[each.model] else None
            for each in found
        ]

    async def inputs(self, places: Sequence[Coordinates]) -> "BlendInputs | None":
        """Return what the blend of several places needs; None without any forecast."""
        forecasts = self.current()
        if not any(forecasts):
            return None
        import numpy as np

        from quartet.wind.blend.prediction import stack

        known = {place: await self._known(place, forecasts) for place in dict.fromkeys(places)}
        learnt = stack([known[place].learnt for place in places])
        shares = np.array([known[place].shares for place in places])
        return BlendInputs(forecasts, learnt, shares, self.ensembles(), self._water_spots)

    async def at(
        self,
        place: Coordinates,
        least: float | None = None,
        surface: "Surface | None" = None,
        station: int | None = None,
    ) -> BestForecast:
        """Return Best at a place; with `least`, also the probability of at least that wind."""
        forecasts = self.current()
        newest = max((each.run for each in forecasts if each is not None), default=None)
        empty = BestForecast(
            place.lat, place.lon, newest, "models", [], [], [], [], [], [], [], [], []
        )
        if newest is None:
            return empty
        known = await self._known(place, forecasts, station)
        surface = surface or self._water_spots.surface_of(*place)
        winds, best = await asyncio.to_thread(self._blend, place, forecasts, known, surface)
        answer = self._answer(empty, best, known, least)
        return msgspec.structs.replace(answer, ensembles=self._used(winds.spreads))

    async def issued(self, lat: float, lon: float, first: int) -> "IssuedBlend | None":
        """Return what is said now about the hours from `first` on; None without any forecast."""
        forecasts = self.current()
        if not any(forecasts):
            return None
        place = Coordinates(lat, lon)
        known = await self._known(place, forecasts)
        surface = self._water_spots.surface_of(lat, lon)

        def work() -> "IssuedBlend":
            from quartet.wind.blend.place import model_winds_at
            from quartet.wind.blend.prediction import blend_places

            winds = model_winds_at(
                lat, lon, forecasts, first, _ISSUED_HOURS, surface, self.ensembles()
            )
            return IssuedBlend(winds, blend_places(winds, known.learnt), known.shares)

        return await asyncio.to_thread(work)

    async def _known(
        self, place: Coordinates, forecasts: "list[Forecast | None]", station: int | None = None
    ) -> Knowledge:
        """Return what is known about a place, with the last measurement next to it."""
        known = await self._blends.knowledge(place, station)
        if not known.neighbours:
            return known
        import numpy as np

        near = known.neighbours[0]
        pull = await self._pull_of(near.station, forecasts)
        left = known.learnt.offsets._replace(
            pull=np.array([near.share * pull.knots], np.float32),
            pulled_at=np.array([pull.hour], np.float32),
        )
        return known._replace(learnt=known.learnt._replace(offsets=left))

    async def _pull_of(self, station: KnownStation, forecasts: "list[Forecast | None]") -> "_Pull":
        now = self._clock()
        expiry, pull = self._pulls.get(station.id, (0.0, _NO_PULL))
        if expiry < now:
            pull = await self._new_pull(station, forecasts)
            self._pulls[station.id] = (now + _PULL_SECONDS, pull)
            while len(self._pulls) > _MOST_PULLS:
                self._pulls.popitem(last=False)
        return pull

    async def _new_pull(self, station: KnownStation, forecasts: "list[Forecast | None]") -> "_Pull":
        """Compare the last measurement with Best at that time."""
        measured = await self._blends.latest(station.id, int(self._clock()) - _HOUR)
        if measured is None:
            return _NO_PULL
        from quartet.wind.blend.place import model_winds_at
        from quartet.wind.blend.prediction import blend_places

        time, wind = measured
        place = Coordinates(station.lat, station.lon)
        known = await self._blends.knowledge(place, station.id)
        hour = (time + _HOUR // 2) // _HOUR * _HOUR
        best = blend_places(model_winds_at(place.lat, place.lon, forecasts, hour, 1), known.learnt)
        expected, most = float(best.wind[0, 0]), 2 * float(best.deviation[0, 0])
        # NaN is not equal to itself; an outlier counts as two standard deviations.
        if expected != expected:
            return _NO_PULL
        return _Pull(min(max(wind - expected, -most), most), time / _HOUR)

    def _blend(
        self,
        place: Coordinates,
        forecasts: "list[Forecast | None]",
        known: Knowledge,
        surface: "Surface | None",
    ) -> "tuple[ModelWinds, Best]":
        from quartet.wind.blend.place import model_winds_at
        from quartet.wind.blend.prediction import blend_places

        first = int(self._clock()) // _HOUR * _HOUR
        winds = model_winds_at(
            place.lat, place.lon, forecasts, first, _HOURS, surface, self.ensembles()
        )
        return winds, blend_places(winds, known.learnt)

    def _used(self, spreads: "Spreads | None") -> list[str] | UnsetType:
        """Return the ensembles that have the place within the next day."""
        if spreads is None:
            return UNSET
        near = spreads.knots[:, 0, :_NEXT_HOURS]
        # NaN is not equal to itself.
        has = (near == near).any(axis=1).tolist()
        used = [name for name, known in zip(self._blends.ensembles, has, strict=True) if known]
        return used or UNSET

    def _answer(
        self, empty: BestForecast, best: "Best", known: Knowledge, least: float | None
    ) -> BestForecast:
        import numpy as np

        from quartet.wind.blend.model_shares import model_shares
        from quartet.wind.blend.prediction import chances, quantile_rows

        has = np.flatnonzero(~np.isnan(best.wind[0]))
        if not len(has):
            return empty
        direction = np.rint(np.degrees(np.arctan2(-best.u[0], -best.v[0]))[has]) % 360
        rows = [
            np.round(row[has].astype(np.float64), 1).tolist()
            for row in (best.wind[0], *quantile_rows(best, known.shares, _QUANTILES))
        ]
        gusts = np.round(best.gust[0][has].astype(np.float64), 1).tolist()
        chance: list[int] | UnsetType = UNSET
        if least is not None:
            percent = 100 * chances(best, known.shares[None], np.array([least]))[0]
            chance = np.rint(percent[has]).astype(int).tolist()
        return msgspec.structs.replace(
            empty,
            basis=known.basis,
            times=(best.first + _HOUR * has).tolist(),
            wind=rows[0],
            # NaN is not equal to itself.
            gust=[each if each == each else None for each in gusts],
            direction=direction.astype(np.int64).tolist(),
            p10=rows[1],
            p50=rows[2],
            p90=rows[3],
            models=model_shares(self._blends.models, best, known),
            stations=[
                Calibrated(
                    each.station.slug, each.station.name, round(each.km, 1), round(100 * each.share)
                )
                for each in known.neighbours
            ],
            chance=chance,
        )
