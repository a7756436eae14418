"""The series of a place, of all models in one go and straight to JSON."""

from collections.abc import Collection, Iterable, Iterator

import msgspec
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
) -> list[Raw]:
    """Of those runs whose area holds the place, each as the JSON of a `Series`."""
    found = [(run, around) for run in runs if (around := run.around(lat, lon)) is not None]
    return list(_series(found, outdated)) if found else []


def _series(found: Found, outdated: Collection[str]) -> Iterator[Raw]:
    # Together: for short rows numpy's calls cost more than its arithmetic.
    blocks = [len(around.numbers) for _, around in found]
    weights = np.array([around.weights for _, around in found], np.float32).repeat(blocks, axis=0)
    numbers = np.concatenate([around.numbers for _, around in found])
    gaps = has_gaps(numbers)
    rows = Rows(wind_of(interpolated(numbers, weights, gaps=gaps)).told, gaps=gaps)
    start = 0
    for (run, _), count in zip(found, blocks, strict=True):
        end = start + len(run.times)
        if rows.missing_wind(start, end) < end - start:
            missing = rows.missing_gust(start, end)
            notice = "outdated" if run.model in outdated else _notice(missing, end - start)
            yield _written(run, rows, start, end, notice)
        start += count * STEPS_PER_BLOCK


def _written(run: StoredRun, rows: Rows, start: int, end: int, notice: SeriesNotice | None) -> Raw:
    parts = (
        run.told_json,
        b',"wind":[',
        rows.wind(start, end),
        b'],"gust":[',
        rows.gust(start, end),
        b'],"direction":[',
        rows.direction(start, end),
        b"]}" if notice is None else b'],"notice":%b}' % msgspec.json.encode(notice),
    )
    return Raw(b"".join(parts))


def _notice(missing: int, steps: int) -> SeriesNotice | None:
    if not missing:
        return None
    return "gust_missing" if missing == steps else "gust_partial"
