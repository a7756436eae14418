"""Ten years of measurements from the demo weather."""

import asyncio
from collections.abc import AsyncIterator
from datetime import UTC, datetime

import numpy as np

from quartet.wind.demo.weather import truth_at
from quartet.wind.observations.cdc import KNOTS
from quartet.wind.stations.types import KnownStation
from quartet.wind.stats.archives import HourlyRows, Year, year_of
from quartet.wind.stats.types import StatsSource

# Sampled with a stride that still covers all hours of the day.
_STRIDE = 13 * 3600


class DemoArchive:
    async def years(
        self, station: KnownStation, wanted: list[int]
    ) -> AsyncIterator[tuple[StatsSource, Year]]:
        for year in wanted:
            yield "demo", await asyncio.to_thread(_year, station, year)


def _year(station: KnownStation, year: int) -> Year:
    first, end = (int(datetime(each, 1, 1, tzinfo=UTC).timestamp()) for each in (year, year + 1))
    times = list(range(first, end, _STRIDE))
    lat, lon = np.array([station.lat]), np.array([station.lon])
    winds = [truth_at(lat, lon, time) for time in times]
    return year_of(
        year,
        HourlyRows(
            times,
            [float(np.hypot(wind.u[0], wind.v[0])) * KNOTS for wind in winds],
            [float(np.degrees(np.arctan2(-wind.u[0], -wind.v[0])) % 360) for wind in winds],
        ),
        station.timezone,
    )
