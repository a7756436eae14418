"""Gear of a user."""

import time
from collections.abc import Callable

import msgspec

from quartet.kernel.db import Database
from quartet.kernel.errors import AppError
from quartet.wind.gear import store
from quartet.wind.gear.types import GearItem, GearList
from quartet.wind.name_cleanup import clean_line

MOST_PIECES = 30
_LONGEST_NAME = 80
_LONGEST_UNIT = 8


class Gear:
    def __init__(self, db: Database, clock: Callable[[], float] = time.time) -> None:
        self._db = db
        self._clock = clock

    async def all(self, user: int) -> GearList:
        return GearList(await self._db.read(store.of_user, user))

    async def replace(self, user: int, items: list[GearItem]) -> GearList:
        if len(items) > MOST_PIECES:
            raise AppError(422, "too_many_gear", limit=MOST_PIECES)
        checked = [_checked(item) for item in items]
        now = int(self._clock())
        await self._db.write(lambda tx: store.replace(tx.conn, user, checked, now))
        return GearList(checked)


def _checked(item: GearItem) -> GearItem:
    low, high = item.wind_min, item.wind_max
    if low is not None and high is not None and low > high:
        raise AppError(400, "invalid_wind_range")
    name = clean_line(item.name, _LONGEST_NAME, empty=True)
    return msgspec.structs.replace(
        item, name=name, unit=clean_line(item.unit, _LONGEST_UNIT, empty=True)
    )
