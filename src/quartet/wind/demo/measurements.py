"""Measurements of the demo: the true weather, with the errors of instruments."""

import asyncio
import time as clocks
from collections.abc import Callable, Iterator
from typing import NamedTuple

import numpy as np

from quartet.kernel.supervisor import BackgroundTask, every
from quartet.wind.demo.weather import truth_at
from quartet.wind.grid.arrays import Doubles
from quartet.wind.leadership import WORK
from quartet.wind.observations.cdc import KNOTS
from quartet.wind.observations.service import Observations
from quartet.wind.observations.store import Measured
from quartet.wind.observations.taf import parse_taf
from quartet.wind.observations.types import Measurement, Taf
from quartet.wind.stations.service import Stations
from quartet.wind.stations.types import KnownStation

DAYS = 10
_HOUR = 3600
_TEN_MINUTES = 600
# Large airports in the area that all models cover, and popular places for wind sports.
_NEAR = ("ED", "EH", "EK", "EG", "LF", "LO", "LS")
_FAR = {"GCFV", "GMMI", "FACT", "LGRP", "LGKR", "LEBL", "LICT", "SBFZ", "TNCA", "YPPH", "PHOG"}


class StationPoints(NamedTuple):
    stations: list[KnownStation]
    lats: Doubles
    lons: Doubles


def demo_spots(known: list[KnownStation]) -> StationPoints:
    chosen = [station for station in known if _is_chosen(station)]
    lats = np.array([station.lat for station in chosen], np.float64)
    return StationPoints(chosen, lats, np.array([station.lon for station in chosen], np.float64))


def _is_chosen(station: KnownStation) -> bool:
    icao = station.codes.icao or ""
    if station.codes.dwd or icao in _FAR:
        return True
    return icao.startswith(_NEAR) and "International" in station.name


def measured(spots: StationPoints, time: int) -> Iterator[Measured]:
    """Return the true wind with a small instrument error."""
    truth = truth_at(spots.lats, spots.lons, time)
    speeds = np.hypot(truth.u, truth.v) * KNOTS
    directions = np.degrees(np.arctan2(-truth.u, -truth.v)) % 360
    for number, station in enumerate(spots.stations):
        shake = 0.4 * np.sin(time / 700 + number * 2.4)
        wind = max(round(float(speeds[number] + shake), 1), 0.0)
        gust = round(float(truth.gust[number] * KNOTS), 1)
        direction = round(float(directions[number] + 2 * shake)) % 360
        measurement = Measurement(
            time, wind, direction if wind else None, "demo", gust if gust > wind else None
        )
        yield station.id, measurement


def taf_of(
    station: KnownStation, spots: StationPoints, number: int, issued: int
) -> tuple[int, Taf] | None:
    """Write a TAF as a forecaster would, and parse it like any other."""
    start = issued - issued % _HOUR + _HOUR
    words = [f"TAF {station.codes.icao} {_text(issued, '%d%H%M')}Z", _window(start, 24)]
    words.append(f"{_group(spots, number, start)} 9999 SCT030")
    for ahead in (6, 12, 18):
        change = start + ahead * _HOUR
        words.append(f"BECMG {_window(change, 2)} {_group(spots, number, change + 2 * _HOUR)}")
    words.append(f"TEMPO {_window(start + 9 * _HOUR, 4)} {_group(spots, number, start, 6)}")
    report = parse_taf(" ".join(words), issued)
    return (station.id, report.taf) if report else None


def _group(spots: StationPoints, number: int, time: int, more: int = 0) -> str:
    place = slice(number, number + 1)
    truth = truth_at(spots.lats[place], spots.lons[place], time)
    wind = round(float(np.hypot(truth.u[0], truth.v[0])) * KNOTS) + more
    gust = round(float(truth.gust[0]) * KNOTS) + 2 * more
    degrees = round(float(np.degrees(np.arctan2(-truth.u[0], -truth.v[0]))) / 10) * 10 % 360
    if wind < 1:
        return "00000KT"
    gusts = f"G{gust:02}" if gust >= wind + 10 else ""
    return f"{degrees or 360:03}{wind:02}{gusts}KT"


def _window(start: int, hours: int) -> str:
    return f"{_text(start, '%d%H')}/{_text(start + hours * _HOUR, '%d%H')}"


def _text(time: int, form: str) -> str:
    return clocks.strftime(form, clocks.gmtime(time))


class DemoMeasurements:
    def __init__(
        self, stations: Stations, observations: Observations, clock: Callable[[], float]
    ) -> None:
        self._stations = stations
        self._observations = observations
        self._clock = clock
        self._until = 0

    def loop(self) -> BackgroundTask:
        return every(_TEN_MINUTES / 2, self.measure, name="demo measurements", exclusive=WORK)

    async def measure(self) -> None:
        """Add the measurements since the last call; the first call adds several days."""
        await self._stations.loaded.wait()
        spots = demo_spots(await self._stations.everything())
        now = int(self._clock()) // _TEN_MINUTES * _TEN_MINUTES
        rows = await asyncio.to_thread(self._rows, spots, now)
        await self._observations.add(rows)
        if now - self._until >= _HOUR:
            await self._observations.add_tafs(await asyncio.to_thread(_tafs, spots, now))
        self._until = now

    def _rows(self, spots: StationPoints, now: int) -> list[Measured]:
        if self._until:
            times = list(range(self._until + _TEN_MINUTES, now + 1, _TEN_MINUTES))
        else:
            day = now - 24 * _HOUR
            first = now // _HOUR * _HOUR - DAYS * 24 * _HOUR
            times = [*range(first, day, _HOUR), *range(day, now + 1, _TEN_MINUTES)]
        return [row for time in times for row in measured(spots, time)]


def _tafs(spots: StationPoints, now: int) -> list[tuple[int, Taf]]:
    found = (
        taf_of(station, spots, number, now)
        for number, station in enumerate(spots.stations)
        if station.codes.icao
    )
    return [each for each in found if each]
