"""Verifies the forecasts for one day at several stations."""

from collections.abc import Sequence
from typing import NamedTuple

from quartet.wind.blend.pairs import measured_hours
from quartet.wind.verification.issued import IssuedHours, unpack
from quartet.wind.verification.store import DaySums, Issued
from quartet.wind.verification.sums import pack, sums_of_day, total

_ALL = 0


class DayWork(NamedTuple):
    day: int
    stations: Sequence[int]
    issued: Sequence[Issued]
    measured: Sequence[tuple[int, int, float]]


def verified(work: DayWork) -> list[DaySums]:
    """Return the sums of stations with measurements."""
    measured = measured_hours(work.stations, work.measured, work.day, 24)
    by_station: dict[int, list[Issued]] = {station: [] for station in work.stations}
    for row in work.issued:
        by_station[row.station].append(row)
    found = []
    for number, station in enumerate(work.stations):
        rows = by_station[station]
        # All forecasts of a sum have the same models; a changed set begins with its newest one.
        names = rows[-1].models if rows else ""
        same = [(row.issued, _hours(row)) for row in rows if row.models == names]
        sums = sums_of_day(same, len(names.split(",")), work.day, measured[:, number])
        if sums.errors.any():
            found.append(DaySums(station, work.day, names, pack(sums)))
    return found


def _hours(row: Issued) -> IssuedHours:
    return unpack(row.hours)


def all_stations(rows: Sequence[DaySums], day: int) -> DaySums:
    models = list(dict.fromkeys(name for row in rows for name in row.models.split(",")))
    sums = total(((row.models.split(","), row.sums) for row in rows), models)
    return DaySums(_ALL, day, ",".join(models), pack(sums))
