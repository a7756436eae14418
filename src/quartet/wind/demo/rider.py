"""The spots, gear and alerts of the demo account."""

import asyncio
import time
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from quartet.kernel.db import Database
from quartet.kernel.demo import demo_data_task
from quartet.kernel.service import Kernel
from quartet.kernel.supervisor import BackgroundTask
from quartet.wind.accounts import store as accounts
from quartet.wind.accounts.startup_message import DEMO_EMAIL
from quartet.wind.alerts.service import Alerts
from quartet.wind.alerts.types import AlarmChange, ChosenChannels, HourSpan
from quartet.wind.demo.weather import truth_at
from quartet.wind.gear.service import Gear
from quartet.wind.gear.types import GearItem
from quartet.wind.leadership import WORK
from quartet.wind.observations.cdc import KNOTS
from quartet.wind.settings import WindSettings
from quartet.wind.spots.directions import is_within
from quartet.wind.spots.service import Spots
from quartet.wind.spots.types import NewFavorite, Sector

HOUR = 3600
_SPOTS = 3
# How many seconds ahead to look for good hours.
_HOURS = 60
_DAY = HourSpan(8, 20)
_GOOD_KNOTS = (14, 28)


class DemoSpot(NamedTuple):
    name: str
    lat: float
    lon: float
    directions: tuple[Sector, ...] = ()


# Each has a measuring station of the demo nearby, so that measured wind is shown with the forecast.
PLACES = (
    DemoSpot("St. Peter-Ording", 54.302, 8.598, (Sector(180, 350),)),
    DemoSpot("Fehmarn Gold", 54.424, 11.047, (Sector(45, 315),)),
    DemoSpot("Ellenbogen, Sylt", 55.045, 8.410),
    DemoSpot("Laboe", 54.412, 10.223, (Sector(225, 60),)),
    DemoSpot("Pelzerhaken", 54.088, 10.880),
    DemoSpot("Warnemünde", 54.181, 12.066, (Sector(250, 80),)),
    DemoSpot("Norderney", 53.708, 7.140),
    DemoSpot("Sahlenburg", 53.862, 8.592, (Sector(200, 360),)),
    DemoSpot("Lindau, Bodensee", 47.545, 9.680),
    DemoSpot("Lo Stagnone", 37.870, 12.455),
    DemoSpot("Theologos, Rhodes", 36.385, 28.040),
    DemoSpot("Essaouira", 31.500, -9.770),
    DemoSpot("Palm Beach, Aruba", 12.575, -70.047),
    DemoSpot("Cumbuco", -3.625, -38.735),
    DemoSpot("Kanahā", 20.899, -156.443),
)
GEAR = [
    GearItem("kite", "Freeride", 12, "m²", 11, 19),
    GearItem("kite", "Freeride", 9, "m²", 16, 27),
    GearItem("kite", "Storm", 6, "m²", 24, 38),
    GearItem("wing", "Allround", 5, "m²"),
    GearItem("board", "Twintip", 138, "cm"),
]
_ALARM = AlarmChange(
    enabled=True,
    wind_min=_GOOD_KNOTS[0],
    hours=_DAY,
    weekdays=[1, 2, 3, 4, 5, 6, 7],
    lead_hours=72,
    min_hours=2,
    channels=ChosenChannels(push=False, email=True),
)


def rider_loops(
    kernel: Kernel[WindSettings], spots: Spots, gear: Gear, alarms: Alerts
) -> list[BackgroundTask]:
    async def fill() -> None:
        user = await _demo_user(kernel.db)
        if user is None or await spots.of(user):
            return
        await gear.replace(user, GEAR)
        for place in await asyncio.to_thread(best_places, time.time()):
            new = NewFavorite(place.name, place.lat, place.lon, list(place.directions))
            favorite = await spots.add(user, new)
            await alarms.put(user, favorite.id, _ALARM)

    # Several processes may share the account.
    return [replace(demo_data_task(kernel.settings.data, fill), exclusive=WORK)]


async def _demo_user(db: Database) -> int | None:
    found = await db.read(accounts.by_email, DEMO_EMAIL)
    return found.id if found else None


def best_places(now: float) -> list[DemoSpot]:
    """Return the places with the most good hours in the coming days, best first."""
    hours = [sum(_good_hours(place, now)) for place in PLACES]
    order = sorted(range(len(PLACES)), key=lambda place: -hours[place])
    return [PLACES[place] for place in order[:_SPOTS]]


def _good_hours(place: DemoSpot, now: float) -> list[bool]:
    lats, lons = np.array([place.lat]), np.array([place.lon])
    start = int(now // HOUR) * HOUR
    # By the sun, because the time zone of a place is known only after it was saved.
    local = place.lon / 15 * HOUR
    times = [
        at
        for at in range(start, start + _HOURS * HOUR, HOUR)
        if _DAY.start <= (at + local) % (24 * HOUR) / HOUR < _DAY.end
    ]
    winds = [truth_at(lats, lons, at) for at in times]
    return [_is_good(place, float(wind.u[0]), float(wind.v[0])) for wind in winds]


def _is_good(place: DemoSpot, u: float, v: float) -> bool:
    low, high = _GOOD_KNOTS
    direction = float(np.degrees(np.arctan2(-u, -v))) % 360
    return is_within(place.directions, direction) and low <= float(np.hypot(u, v)) * KNOTS <= high
