"""Spots of a user."""

import asyncio
import time
from collections.abc import Awaitable, Callable
from typing import Any

import msgspec
from msgspec import UNSET

from quartet.kernel.db import Database, Tx
from quartet.kernel.errors import AppError
from quartet.wind.accounts import store as accounts
from quartet.wind.name_cleanup import clean_line
from quartet.wind.places.coordinates import Coordinates, parse_coordinates
from quartet.wind.spots import store
from quartet.wind.spots.csv_list import spots_of_csv
from quartet.wind.spots.timezones import timezone_at
from quartet.wind.spots.types import (
    Favorite,
    FavoriteChanges,
    Favorites,
    ImportedFavorites,
    NewFavorite,
)
from quartet.wind.stations.service import Stations

LONGEST_NAME = 80
# A list may have this many times as many lines as a user may have spots: it may repeat some.
_MOST_LINES = 10
_HIGHEST_ID = 2**63 - 1

# Called with the old and new spot; returns an update to run in the same transaction.
SpotChangeHook = Callable[[Favorite, Favorite], Awaitable[Callable[[Tx], None]]]


class Spots:
    """Spots; `limit` is read each time because admins can change it.

    Features with data about a spot add a callback to `change_hooks`.
    """

    def __init__(
        self,
        db: Database,
        stations: Stations,
        limit: Callable[[], Awaitable[int]],
        clock: Callable[[], float] = time.time,
    ) -> None:
        self._db = db
        self._stations = stations
        self._limit = limit
        self._clock = clock
        self.change_hooks: list[SpotChangeHook] = []

    async def all(self, user: int) -> Favorites:
        return Favorites(await self.of(user), await self._limit())

    async def of(self, user: int) -> list[Favorite]:
        return await self._db.read(store.of_user, user)

    async def one(self, user: int, spot: int) -> Favorite:
        return await self._db.read(lambda conn: _mine(store.one(conn, user, _id(spot))))

    async def add(self, user: int, new: NewFavorite) -> Favorite:
        values = await self._checked(msgspec.structs.asdict(new))
        values["created_at"] = int(self._clock())
        limit = await self._limit()

        def work(tx: Tx) -> Favorite:
            if accounts.lock_user(tx.conn, user) is None:
                raise AppError(401, "signed_out")
            if store.count(tx.conn, user) >= limit:
                raise AppError(422, "too_many_favorites", limit=limit)
            return _mine(store.one(tx.conn, user, store.add(tx.conn, user, values)))

        return await self._db.write(work)

    async def add_list(self, user: int, content: bytes) -> ImportedFavorites:
        """Add the spots of a CSV list that the user does not have yet, or none of them."""
        given = await asyncio.to_thread(spots_of_csv, content)
        limit, now = await self._limit(), int(self._clock())
        # Checking one takes a tenth of a millisecond, and a file has room for thousands.
        if len(given) > _MOST_LINES * limit:
            raise AppError(422, "too_many_favorites", limit=limit)
        mine = {(each.name, each.lat, each.lon) for each in await self.of(user)}
        checked = [await self._checked(msgspec.structs.asdict(each)) for each in given]
        new = {(each["name"], each["lat"], each["lon"]): each for each in checked}
        new = {key: each for key, each in new.items() if key not in mine}

        def work(tx: Tx) -> None:
            if accounts.lock_user(tx.conn, user) is None:
                raise AppError(401, "signed_out")
            if store.count(tx.conn, user) + len(new) > limit:
                raise AppError(422, "too_many_favorites", limit=limit)
            for values in new.values():
                store.add(tx.conn, user, {**values, "created_at": now})

        await self._db.write(work)
        return ImportedFavorites(len(new), len(given) - len(new))

    async def change(self, user: int, spot: int, changes: FavoriteChanges) -> Favorite:
        # First: spots of other users must look as if they did not exist.
        old = await self.one(user, spot)
        given = msgspec.structs.asdict(changes)
        values = await self._checked(
            {key: each for key, each in given.items() if each is not UNSET}
        )
        new = msgspec.convert(msgspec.to_builtins(old) | values, Favorite)
        follow = [await each(old, new) for each in self.change_hooks]

        def work(tx: Tx) -> Favorite:
            if values:
                store.change(tx.conn, user, spot, values)
            for each in follow:
                each(tx)
            return _mine(store.one(tx.conn, user, spot))

        return await self._db.write(work)

    async def remove(self, user: int, spot: int) -> None:
        def work(tx: Tx) -> None:
            if not store.remove(tx.conn, user, _id(spot)):
                raise AppError(404, "not_found")

        await self._db.write(work)

    async def order(self, user: int, ids: list[int]) -> Favorites:
        """Set the order; reject a list that does not contain exactly the current spots."""

        def work(tx: Tx) -> list[Favorite]:
            accounts.lock_user(tx.conn, user)
            mine = [each.id for each in store.of_user(tx.conn, user)]
            if sorted(ids) != sorted(mine):
                raise AppError(400, "invalid_order")
            store.reorder(tx.conn, ids)
            return store.of_user(tx.conn, user)

        return Favorites(await self._db.write(work), await self._limit())

    async def _checked(self, values: dict[str, Any]) -> dict[str, Any]:
        """Validate values and convert them for storage."""
        if "name" in values:
            values["name"] = clean_line(values["name"], LONGEST_NAME)
        if "lat" in values or "lon" in values:
            place = _place(values.get("lat"), values.get("lon"))
            zone = await asyncio.to_thread(timezone_at, place.lat, place.lon)
            values |= {"lat": place.lat, "lon": place.lon, "timezone": zone}
        if "directions" in values:
            values["directions"] = msgspec.to_builtins(values["directions"])
        if values.get("station") is not None:
            await self._check_station(values["station"])
        return values

    async def _check_station(self, slug: str) -> None:
        try:
            await self._stations.by_slug(slug)
        except AppError:
            raise AppError(400, "unknown_station", station=slug[:LONGEST_NAME]) from None


def _mine(found: Favorite | None) -> Favorite:
    if found is None:
        raise AppError(404, "not_found")
    return found


def _id(spot: int) -> int:
    """Reject ids that the database cannot represent."""
    if not 0 < spot <= _HIGHEST_ID:
        raise AppError(404, "not_found")
    return spot


def _place(lat: float | None, lon: float | None) -> Coordinates:
    # As text, which has exactly the digits that were sent, for the common rounding.
    texts = [[] if number is None else [repr(number)] for number in (lat, lon)]
    return parse_coordinates(*texts)
