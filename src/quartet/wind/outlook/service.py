"""When to go where, and with what: all spots of somebody at once."""

import asyncio
import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import NamedTuple

import msgspec

from quartet.kernel.db import Database
from quartet.wind.gear.rig import Range, rideable
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

# Somebody whose gear is not known.
_DEFAULT = Range(12.0, 40.0)
_STORM = 60.0

# The wind from which on somebody wants to be told, by spot.
AlarmMinimums = Callable[[int], Awaitable[Mapping[int, float]]]


class Beside(NamedTuple):
    """The station a spot is compared with."""

    slug: str
    name: str
    km: float
    ranking: Ranking


class Outlooks:
    """`longest` are all models by id, the finest first, with the age at which runs are outdated."""

    def __init__(
        self,
        db: Database,
        catalogue: Catalogue,
        longest: Mapping[str, int],
        rankings: Rankings,
        minimums: AlarmMinimums | None = None,
        clock: Callable[[], float] = time.time,
    ) -> None:
        self._db = db
        self._catalogue = catalogue
        self._longest = longest
        self._rankings = rankings
        self._minimums = minimums
        self._clock = clock

    async def of(self, user: int) -> Outlook:
        now = int(self._clock())
        mine = await self._db.read(store.mine, user)
        minimums = await self._minimums(user) if self._minimums else {}
        beside = [await self._beside(each, mine.chosen) for each in mine.favorites]
        slugs = {each.slug for each in beside if each is not None}
        latest = await self._db.read(store.latest, slugs, now - LIVE_SECONDS) if slugs else {}

        def work() -> list[SpotOutlook]:
            return [
                self._spot(favorite, near, mine.items, minimums.get(favorite.id), latest, now)
                for favorite, near in zip(mine.favorites, beside, strict=True)
            ]

        return Outlook(now, await asyncio.to_thread(work))

    async def _beside(self, favorite: Favorite, chosen: Mapping[str, store.Place]) -> Beside | None:
        place = chosen.get(favorite.station or "")
        if place is not None:
            km = distance_km(favorite.lat, favorite.lon, place.lat, place.lon)
            return Beside(place.slug, place.name, round(km, 1), await self._rankings.of(place.id))
        near = await self._rankings.nearest(Coordinates(favorite.lat, favorite.lon))
        if near is None:
            return None
        return Beside(near.station.slug, near.station.name, near.distance_km, near.ranking)

    def _spot(
        self,
        favorite: Favorite,
        near: Beside | None,
        items: list[GearItem],
        minimum: float | None,
        latest: Mapping[str, Measurement],
        now: int,
    ) -> SpotOutlook:
        wanted, ranges = wanted_of(items, minimum)
        measured = _measured(near, latest, now)
        order = best_first(near.ranking if near else None, list(self._longest))
        runs = [run for model in order if (run := self._catalogue.forecast(model)) is not None]
        outlook = SpotOutlook(favorite, wanted, measured, [], notice="no_forecast")
        if not runs:
            return outlook
        # Here and not above: a service without any run need not load numpy.
        from quartet.wind.outlook.forecast import with_forecast

        fresh = [run for run in runs if now - run.run <= self._longest[run.model]]
        if found := with_forecast(outlook, fresh, ranges, items, now):
            return found
        old = with_forecast(outlook, runs, ranges, items, now)
        return msgspec.structs.replace(old, notice="outdated") if old else outlook


def best_first(ranking: Ranking | None, finest_first: Sequence[str]) -> list[str]:
    """Who was right for the next day, then for the days after, then who is not ranked here."""
    buckets = ranking.buckets if ranking else []
    # Not those that are still ranked although nobody fetches them any more.
    ranked = [row.model for bucket in buckets for row in bucket.rows if row.model in finest_first]
    return list(dict.fromkeys([*ranked, *finest_first]))


def wanted_of(items: Sequence[GearItem], minimum: float | None) -> tuple[Wanted, list[Range]]:
    """An alarm says it best; otherwise what one has something to rig for."""
    if minimum is not None:
        return Wanted("alarm", minimum), [Range(minimum, _STORM)]
    ranges = rideable(items)
    if not ranges:
        return Wanted("default", _DEFAULT.low, _DEFAULT.high), [_DEFAULT]
    low, high = min(each.low for each in ranges), max(each.high for each in ranges)
    return Wanted("gear", round(low, 1), round(high, 1)), ranges


def _measured(
    near: Beside | None, latest: Mapping[str, Measurement], now: int
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
