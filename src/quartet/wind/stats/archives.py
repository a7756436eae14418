"""Ten years of hourly wind: measurements of DWD or reanalysis data of Open-Meteo."""

import asyncio
import re
from collections.abc import AsyncIterator, Iterable, Iterator
from datetime import UTC, datetime
from typing import Any, NamedTuple

import msgspec

from quartet.kernel.errors import AppError
from quartet.wind.fetcher import Fetcher
from quartet.wind.observations.cdc import KNOTS, direction_of, table_rows
from quartet.wind.stations.types import KnownStation
from quartet.wind.stats.types import StatsSource

_MOST_BYTES = 30_000_000
# A year with more gaps could represent only one season.
_FEWEST_HOURS = 24 * 365 // 2
_FACTORS = {"kn": 1.0, "km/h": 1000 / 1852, "m/s": KNOTS}
_PAUSE_SECONDS = 2.0


class Year(NamedTuple):
    year: int
    counts: bytes


class HourlyRows(NamedTuple):
    """Unix seconds, knots and degrees the wind comes from."""

    times: list[int]
    wind: list[float]
    direction: list[float | None]


class Archives:
    def __init__(
        self, fetcher: Fetcher, cdc: str, open_meteo: str, pause: float = _PAUSE_SECONDS
    ) -> None:
        self._fetcher = fetcher
        self._cdc = f"{cdc}/hourly/wind"
        self._open_meteo = open_meteo
        self._pause = pause

    async def years(
        self, station: KnownStation, wanted: list[int]
    ) -> AsyncIterator[tuple[StatsSource, Year]]:
        """Yield measured years if there are any, otherwise computed ones; never a mix."""
        if station.codes.dwd:
            measured = await self._measured(station, wanted)
            for year in measured:
                yield "dwd", year
            if measured:
                return
        for number in wanted:
            yield "open_meteo", await self._computed(station, number)
            await asyncio.sleep(self._pause)

    async def _measured(self, station: KnownStation, wanted: list[int]) -> list[Year]:
        names = await self._names(str(station.codes.dwd))
        bodies = [await self._get(f"{self._cdc}/{name}") for name in names]
        return await asyncio.to_thread(
            lambda: list(years_of_archives((each for each in bodies if each), wanted, station))
        )

    async def _names(self, number: str) -> list[str]:
        """Return the archive names, listing the folder because they contain the end date."""
        listing = await self._get(f"{self._cdc}/historical/")
        pattern = rf"stundenwerte_FF_{number}_\d{{8}}_\d{{8}}_hist\.zip"
        found = re.findall(pattern, (listing or b"").decode("latin-1"))
        historical = [f"historical/{name}" for name in sorted(set(found))[-1:]]
        return [*historical, f"recent/stundenwerte_FF_{number}_akt.zip"]

    async def _computed(self, station: KnownStation, year: int) -> Year:
        body = await self._get(
            f"{self._open_meteo}/v1/archive?latitude={station.lat}&longitude={station.lon}"
            f"&start_date={year}-01-01&end_date={year}-12-31"
            "&hourly=wind_speed_10m,wind_direction_10m&wind_speed_unit=kn&timezone=GMT"
        )
        rows = rows_of_json(body or b"")
        if len(rows.times) < _FEWEST_HOURS:
            raise AppError(502, "statistics_unreadable")
        return await asyncio.to_thread(year_of, year, rows, station.timezone)

    async def _get(self, url: str) -> bytes | None:
        # Without its validators, the archive is fetched again even if it is unchanged.
        self._fetcher.forget(url)
        return await self._fetcher.fetch_if_changed(url, _MOST_BYTES)


def years_of_archives(
    bodies: Iterable[bytes], wanted: list[int], station: KnownStation
) -> Iterator[Year]:
    """Yield complete years; later archives override earlier ones."""
    by_year: dict[int, dict[str, tuple[float, float | None]]] = {year: {} for year in wanted}
    for body in bodies:
        for hour, wind, direction in hourly_rows(body, str(min(wanted))):
            if hour[:4].isdecimal() and (year := int(hour[:4])) in by_year:
                by_year[year][hour] = (wind, direction)
    for year, hours in by_year.items():
        rows = [(time, *hours[hour]) for hour in sorted(hours) if (time := _hour(hour)) is not None]
        if len(rows) >= _FEWEST_HOURS:
            columns = HourlyRows(*(list(column) for column in zip(*rows, strict=True)))
            yield year_of(year, columns, station.timezone)


def hourly_rows(body: bytes, since: str) -> Iterator[tuple[str, float, float | None]]:
    """Yield hour (YYYYMMDDHH), knots and degrees, skipping missing values."""
    rows = table_rows(body)
    header = next(rows, [])
    if not {"MESS_DATUM", "F", "D"} <= set(header):
        raise AppError(502, "statistics_unreadable")
    time, speed, direction = (header.index(name) for name in ("MESS_DATUM", "F", "D"))
    for row in rows:
        if len(row) != len(header) or row[time] < since:
            continue
        try:
            metres = float(row[speed])
            degrees = direction_of(row[direction])
        except ValueError:
            continue
        if 0 <= metres <= 100:
            yield row[time], metres * KNOTS, degrees


def rows_of_json(body: bytes) -> HourlyRows:
    try:
        answer: Any = msgspec.json.decode(body)
        answer = answer[0] if isinstance(answer, list) else answer
        factor = _FACTORS[answer["hourly_units"]["wind_speed_10m"]]
        hourly = answer["hourly"]
        columns = (hourly["time"], hourly["wind_speed_10m"], hourly["wind_direction_10m"])
        rows = [
            (_iso(time), float(wind) * factor, None if degrees is None else float(degrees))
            for time, wind, degrees in zip(*columns, strict=True)
            if wind is not None and 0 <= wind * factor <= 200
        ]
    except (msgspec.MsgspecError, LookupError, TypeError, ValueError, RecursionError) as error:
        raise AppError(502, "statistics_unreadable") from error
    times, winds, directions = zip(*rows, strict=True) if rows else ((), (), ())
    return HourlyRows(list(times), list(winds), list(directions))


def year_of(year: int, rows: HourlyRows, timezone: str) -> Year:
    # Imported here because only the computation needs numpy.
    import numpy as np

    from quartet.wind.stats.counts import count_hours

    directions = np.array([np.nan if each is None else each for each in rows.direction], np.float64)
    times = np.array(rows.times, np.int64)
    return Year(year, count_hours(times, np.array(rows.wind, np.float64), directions, timezone))


def _hour(text: str) -> int | None:
    """Return Unix seconds, or None for an invalid date."""
    try:
        day = datetime(int(text[:4]), int(text[4:6]), int(text[6:8]), int(text[8:10]), tzinfo=UTC)
    except ValueError:
        return None
    return int(day.timestamp())


def _iso(text: str) -> int:
    return int(datetime.fromisoformat(text).replace(tzinfo=UTC).timestamp())
