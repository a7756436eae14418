"""Outlook for all spots of a user: when and where to go, and with which gear."""

import asyncio
import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import NamedTuple

import msgspec

from quartet.kernel.db import Database
from quartet.wind.blend.answers import BestForecasts, BlendInputs
from quartet.wind.gear.rig import WindRange, rideable_ranges
from quartet.wind.gear.types import GearItem
from quartet.wind.grid.catalogue import Catalogue
from quartet.wind.observations.types import Measurement
from quartet.wind.outlook import store
from quartet.wind.outlook.types import MeasuredNow, Outlook, SpotOutlook, Wanted
from quartet.wind.places.coordinates import Coordinates
from quartet.wind.ranking.service import Rankings
from quartet.wind.ranking.types import Ranking
from quartet.wind.spots.types import Favorite
from quartet.wind.stations.merging import distance_km
from quartet.wind.stations.service import LIVE_SECONDS

# Used if the user has no gear list.
_DEFAULT = WindRange(12.0, 40.0)
_STORM = 60.0

# Minimum wind of the user's alerts, by spot.
AlarmMinimums = Callable[[int], Awaitable[Mapping[int, float]]]
# Start and end of the windows of the user's alerts, by spot.
AlertSpans = Callable[[int], Awaitable[Mapping[int, Sequence[tuple[int, int]]]]]


class SpotContext(NamedTuple):
    """The station a spot is compared with, and its ranking."""

    slug: str
    name: str
    km: float
    ranking: Ranking


class _SpotPreferences(NamedTuple):
    items: list[GearItem]
    minimum: float | None
    spans: Sequence[tuple[int, int]] | None
    inputs: BlendInputs | None


class Outlooks:
    """Outlooks; `longest` maps model ids, finest first, to the age at which runs are outdated."""

    def __init__(
        self,
        db: Database,
        catalogue: Catalogue,
        longest: Mapping[str, int],
        rankings: Rankings,
        minimums: AlarmMinimums | None = None,
        clock: Callable[[], float] = time.time,
        best: BestForecasts | None = None,
    ) -> None:
        self._db = db
        self._catalogue = catalogue
        self._longest = longest
        self._rankings = rankings
        self._minimums = minimums
        self._clock = clock
        self._best = best
        # Set after the alerts are built, which need the spots.
        self.alert_spans: AlertSpans | None = None

    async def of(self, user: int) -> Outlook:
        now = int(self._clock())
        user_spots = await self._db.read(store.user_spots, user)
        minimums = await self._minimums(user) if self._minimums else {}
        contexts = [
            await self._context_of(each, user_spots.chosen) for each in user_spots.favorites
        ]
        slugs = {each.slug for each in contexts if each is not None}
        latest = await self._db.read(store.latest, slugs, now - LIVE_SECONDS) if slugs else {}

        spans = await self.alert_spans(user) if self.alert_spans else {}
        inputs = [await self._inputs(each) for each in user_spots.favorites]

        def work() -> list[SpotOutlook]:
            found = []
            for number, favorite in enumerate(user_spots.favorites):
                preferences = _SpotPreferences(
                    user_spots.items,
                    minimums.get(favorite.id),
                    spans.get(favorite.id),
                    inputs[number],
                )
                spot = self._spot(favorite, contexts[number], preferences, latest, now)
                found.append(self._with_waves(spot))
            return found

        return Outlook(now, await asyncio.to_thread(work))

    def _with_waves(self, spot: SpotOutlook) -> SpotOutlook:
        forecasts = self._catalogue.wave_forecasts
        if not spot.days or not forecasts:
            return spot
        from quartet.wind.outlook.sessions import with_waves

        return msgspec.structs.replace(spot, days=with_waves(spot.days, spot.favorite, forecasts))

    async def _inputs(self, favorite: Favorite) -> BlendInputs | None:
        place = Coordinates(favorite.lat, favorite.lon)
        return await self._best.inputs([place]) if self._best else None

    async def _context_of(
        self, favorite: Favorite, chosen: Mapping[str, store.ChosenStation]
    ) -> SpotContext | None:
        place = chosen.get(favorite.station or "")
        if place is not None:
            km = distance_km(favorite.lat, favorite.lon, place.lat, place.lon)
            return SpotContext(
                place.slug, place.name, round(km, 1), await self._rankings.of(place.id)
            )
        near = await self._rankings.nearest(Coordinates(favorite.lat, favorite.lon))
        if near is None:
            return None
        return SpotContext(near.station.slug, near.station.name, near.distance_km, near.ranking)

    def _spot(
        self,
        favorite: Favorite,
        near: SpotContext | None,
        preferences: _SpotPreferences,
        latest: Mapping[str, Measurement],
        now: int,
    ) -> SpotOutlook:
        wanted, ranges = wanted_of(preferences.items, preferences.minimum)
        measured = _measured(near, latest, now)
        order = best_first(near.ranking if near else None, list(self._longest))
        runs = [run for model in order if (run := self._catalogue.forecast(model)) is not None]
        outlook = SpotOutlook(favorite, wanted, measured, [], notice="no_forecast")
        if not runs:
            return outlook
        # Imported here so that a service without runs does not load numpy.
        from quartet.wind.outlook.forecast import GoodHourRules, with_best, with_forecast

        good = GoodHourRules(ranges, preferences.items, preferences.spans, wanted.wind_min)
        if preferences.inputs and (found := with_best(outlook, preferences.inputs, good, now)):
            return found
        fresh = [run for run in runs if now - run.run <= self._longest[run.model]]
        if found := with_forecast(outlook, fresh, good, now):
            return found
        old = with_forecast(outlook, runs, good, now)
        return msgspec.structs.replace(old, notice="outdated") if old else outlook


def best_first(ranking: Ranking | None, finest_first: Sequence[str]) -> list[str]:
    """Return models by accuracy for the first day, then later days, then unranked ones."""
    buckets = ranking.buckets if ranking else []
    # Skip ranked models that are no longer fetched.
    ranked = [row.model for bucket in buckets for row in bucket.rows if row.model in finest_first]
    return list(dict.fromkeys([*ranked, *finest_first]))


def wanted_of(items: Sequence[GearItem], minimum: float | None) -> tuple[Wanted, list[WindRange]]:
    """Return the wanted wind: from the alert, else from the gear, else a default."""
    if minimum is not None:
        return Wanted("alarm", minimum), [WindRange(minimum, _STORM)]
    ranges = rideable_ranges(items)
    if not ranges:
        return Wanted("default", _DEFAULT.low, _DEFAULT.high), [_DEFAULT]
    low, high = min(each.low for each in ranges), max(each.high for each in ranges)
    return Wanted("gear", round(low, 1), round(high, 1)), ranges


def _measured(
    near: SpotContext | None, latest: Mapping[str, Measurement], now: int
) -> MeasuredNow | None:
    found = latest.get(near.slug) if near else None
    if near is None or found is None:
        return None
    return MeasuredNow(
        near.slug,
        near.name,
        near.km,
        found.time,
        max(now - found.time, 0),
        found.wind,
        found.direction,
        found.source,
        found.gust,
        found.variable,
    )
