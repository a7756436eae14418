"""Read waves: they are those of the nearest point of the grid that is at sea, not interpolated.

Half of the points around a place at the coast are on land and have no waves.
"""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from quartet.wind.grid.arrays import Floats, Int16s
from quartet.wind.grid.forecast import Forecast
from quartet.wind.grid.geometry import Grid
from quartet.wind.grid.layout import NO_DATA
from quartet.wind.grid.reading import StoredRun

# Marks a point on land; smaller than every weight.
_ON_LAND = -1


class SeaPoint(NamedTuple):
    """A point of the grid, and the stored numbers of its channels, a column for each time."""

    lat: float
    lon: float
    rows: Int16s


def waves_at(forecast: Forecast, lat: float, lon: float) -> SeaPoint | None:
    """Return the waves of the nearest point at sea of the four around a place."""
    newest = forecast.newest
    found = _at_sea(newest, lat, lon)
    if found is None:
        return None
    point, rows = found
    if len(forecast.parts) > 1:
        rows = np.concatenate([rows, *_continued(forecast, lat, lon, len(rows))], axis=1)
    return SeaPoint(*_position(newest.header.grid, point), rows)


def _continued(forecast: Forecast, lat: float, lon: float, channels: int) -> Iterator[Int16s]:
    for part in forecast.parts[1:]:
        older = _at_sea(part.run, lat, lon)
        nothing = np.full((channels, len(part.times)), NO_DATA, np.int16)
        yield nothing if older is None else older[1][:, part.first :]


def _at_sea(run: StoredRun, lat: float, lon: float) -> tuple[int, Int16s] | None:
    corners = run.header.grid.corners(lat, lon)
    if corners is None:
        return None
    for _, point in sorted(zip(corners.weights, corners.points, strict=True), reverse=True):
        rows = run.cell(point)
        if rows[0].max() > NO_DATA:
            return point, rows
    return None


def heights_at_sea(run: StoredRun, points: NDArray[np.int64], weights: Floats) -> Int16s:
    """Return the heights of many places, a row each; `points` are the corners of each place."""
    heights = np.stack([run.first_channel(corner) for corner in points.T], axis=1)
    at_sea = (heights != NO_DATA).any(axis=2)
    best = np.argmax(np.where(at_sea, weights, _ON_LAND), axis=1)
    return np.asarray(heights[np.arange(len(heights)), best])


def _position(grid: Grid, point: int) -> tuple[float, float]:
    row, column = divmod(point, grid.nx)
    lon = grid.west + column * grid.step_x
    return round(grid.south + row * grid.step_y, 4), round((lon + 180) % 360 - 180, 4)
