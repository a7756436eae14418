"""The series of a place, of all models in one go and straight to JSON."""

from collections.abc import Collection, Iterable

import numpy as np
from msgspec import Raw

from quartet.wind.forecasts.rows import Rows
from quartet.wind.forecasts.types import SeriesNotice
from quartet.wind.grid.layout import STEPS_PER_BLOCK
from quartet.wind.grid.reading import Around, StoredRun, has_gaps, interpolated
from quartet.wind.grid.speed import wind_of

Found = list[tuple[StoredRun, Around]]


def series_at(
    lat: float, lon: float, runs: Iterable[StoredRun], outdated: Collection[str] = ()
) -> Raw | None:
    """Of those runs whose area holds the place: the JSON of a list of `Series`."""
    found = [(run, around) for run in runs if (around := run.around(lat, lon)) is not None]
    parts = _series(found, outdated) if found else []
    if not parts:
        return None
    # Joined once: to move the numbers around costs as much as to interpolate them.
    parts[0] = b"["
    return Raw(b"".join((*parts, b"]")))


def _series(found: Found, outdated: Collection[str]) -> list[bytes | memoryview]:
    """Each with a comma in front."""
    # Together: for short rows numpy's calls cost more than its arithmetic.
    blocks = [len(around.numbers) for _, around in found]
    weights = np.array([around.weights for _, around in found], np.float32).repeat(blocks, axis=0)
    numbers = np.concatenate([around.numbers for _, around in found])
    gaps = has_gaps(numbers)
    rows = Rows(wind_of(interpolated(numbers, weights, gaps=gaps)).told, gaps=gaps)
    parts: list[bytes | memoryview] = []
    start = 0
    for (run, _), count in zip(found, blocks, strict=True):
        end = start + len(run.times)
        if rows.missing_wind(start, end) < end - start:
            missing = rows.missing_gust(start, end)
            notice = "outdated" if run.model in outdated else _notice(missing, end - start)
            closing = b"}" if notice is None else b',"notice":"%b"}' % notice.encode()
            parts += (b",", run.told_json, *rows.json(start, end), closing)
        start += count * STEPS_PER_BLOCK
    return parts


def _notice(missing: int, steps: int) -> SeriesNotice | None:
    if not missing:
        return None
    return "gust_missing" if missing == steps else "gust_partial"
