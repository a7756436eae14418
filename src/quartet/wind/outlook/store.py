from collections.abc import Collection
from typing import NamedTuple

from sqlalchemy import Connection, select

from quartet.wind.gear import store as gear
from quartet.wind.gear.types import GearItem
from quartet.wind.observations.tables import measurements
from quartet.wind.observations.types import Measurement
from quartet.wind.spots import store as spots
from quartet.wind.spots.types import Favorite
from quartet.wind.stations.tables import stations


class ChosenStation(NamedTuple):
    """A station chosen for a spot."""

    id: int
    slug: str
    name: str
    lat: float
    lon: float


class UserSpots(NamedTuple):
    favorites: list[Favorite]
    items: list[GearItem]
    chosen: dict[str, ChosenStation]


def user_spots(conn: Connection, user: int) -> UserSpots:
    favorites = spots.of_user(conn, user)
    slugs = {each.station for each in favorites if each.station}
    return UserSpots(favorites, gear.of_user(conn, user), _places(conn, slugs))


def latest(conn: Connection, slugs: Collection[str], since: int) -> dict[str, Measurement]:
    """Return the newest measurement since `since` by station."""
    rows = conn.execute(
        select(stations.c.slug, measurements)
        .join(measurements, measurements.c.station == stations.c.id)
        .where(stations.c.slug.in_(slugs), measurements.c.time >= since)
        .order_by(measurements.c.time, measurements.c.source)
    )
    return {
        row.slug: Measurement(row.time, row.wind, row.direction, row.source, row.gust, row.variable)
        for row in rows
    }


def _places(conn: Connection, slugs: Collection[str]) -> dict[str, ChosenStation]:
    if not slugs:
        return {}
    columns = (stations.c.id, stations.c.slug, stations.c.name, stations.c.lat, stations.c.lon)
    rows = conn.execute(select(*columns).where(stations.c.slug.in_(slugs)))
    return {row.slug: ChosenStation(*row) for row in rows}
