"""The series of a place, of all models in one go."""

from collections.abc import Iterable, Iterator
from typing import Any, cast

import numpy as np

from quartet.wind.forecasts.rows import Row
from quartet.wind.forecasts.types import Series, SeriesNotice
from quartet.wind.grid.layout import STEPS_PER_BLOCK
from quartet.wind.grid.reading import Around, StoredRun, interpolated
from quartet.wind.grid.speed import wind_of

Found = list[tuple[StoredRun, Around]]


def series_at(lat: float, lon: float, runs: Iterable[StoredRun]) -> list[Series]:
    """Of those runs whose area holds the place."""
    found = [(run, around) for run in runs if (around := run.around(lat, lon)) is not None]
    return list(_series(found)) if found else []


def _series(found: Found) -> Iterator[Series]:
    # Together: for short rows numpy's calls cost more than its arithmetic.
    blocks = [len(around.numbers) for _, around in found]
    weights = np.array([around.weights for _, around in found], np.float32).repeat(blocks, axis=0)
    numbers = np.concatenate([around.numbers for _, around in found])
    together = wind_of(interpolated(numbers, weights))
    wind, gust = Row(together.wind, speeds=True), Row(together.gust, speeds=True)
    direction = Row(together.direction, speeds=False)
    start = 0
    for (run, _), count in zip(found, blocks, strict=True):
        end = start + len(run.times)
        if wind.missing(start, end) < end - start:
            # The rows are JSON already, whatever their types say to those who read the answer.
            yield Series(
                run.model,
                run.run,
                cast(Any, run.times_json),
                cast(Any, wind.part(start, end)),
                cast(Any, gust.part(start, end)),
                cast(Any, direction.part(start, end)),
                _notice(gust.missing(start, end), end - start),
            )
        start += count * STEPS_PER_BLOCK


def _notice(missing: int, steps: int) -> SeriesNotice | None:
    if not missing:
        return None
    return "gust_missing" if missing == steps else "gust_partial"
