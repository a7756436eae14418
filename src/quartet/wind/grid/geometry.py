"""Positions of the points of a grid."""

from collections.abc import Callable
from functools import cached_property
from typing import NamedTuple, Self

import msgspec

# Providers give positions in millionths of a degree, so smaller differences are rounding.
_MILLIONTH = 1e-6


class Area(msgspec.Struct, frozen=True):
    """West, south, east and north in degrees."""

    w: float
    s: float
    e: float
    n: float

    def holds(self, other: "Area", margin: float) -> bool:
        return (
            other.w >= self.w - margin
            and other.s >= self.s - margin
            and other.e <= self.e + margin
            and other.n <= self.n + margin
        )


class Corners(NamedTuple):
    """The four points around a place, and the weight of each."""

    points: tuple[int, int, int, int]
    weights: tuple[float, float, float, float]


# The same as a plain tuple, which is made in half of the time.
PlainCorners = tuple[tuple[int, int, int, int], tuple[float, float, float, float]]
FindCorners = Callable[[float, float], PlainCorners | None]


class Grid(msgspec.Struct, frozen=True, dict=True):
    """A regular grid in degrees; rows run from south to north, columns from west to east."""

    west: float
    south: float
    step_x: float
    step_y: float
    nx: int
    ny: int

    @classmethod
    def over(cls, area: Area, step: float) -> Self:
        """Return a grid that covers an area, starting at its south-western corner."""
        nx = int((area.e - area.w) / step + _MILLIONTH) + 1
        ny = int((area.n - area.s) / step + _MILLIONTH) + 1
        return cls(area.w, area.s, step, step, nx, ny)

    @classmethod
    def world(cls, step: float) -> Self:
        return cls(-180.0, -90.0, step, step, round(360 / step), round(180 / step) + 1)

    @property
    def points(self) -> int:
        return self.nx * self.ny

    @cached_property
    def wraps(self) -> bool:
        """Whether the last column is adjacent to the first."""
        return abs(self.nx * self.step_x - 360) < self.step_x / 2

    @cached_property
    def _last_x(self) -> int:
        return self.nx if self.wraps else self.nx - 1

    @property
    def area(self) -> Area:
        """The area; a grid around the world ends at the longitude where it begins."""
        east = self.west + self._last_x * self.step_x
        north = self.south + (self.ny - 1) * self.step_y
        return Area(self.west, self.south, round(east, 6), round(north, 6))

    def corners(self, lat: float, lon: float) -> Corners | None:
        """Return the points around a place, or None outside of the grid."""
        found = self.find_corners(lat, lon)
        return None if found is None else Corners(*found)

    @cached_property
    def find_corners(self) -> FindCorners:
        """Find the corners with as little work as possible: that is done for every place."""
        south, west, step_x, step_y = self.south, self.west, self.step_x, self.step_y
        nx, last_x, top = self.nx, self._last_x + _MILLIONTH, self.ny - 1 + _MILLIONTH

        def find(lat: float, lon: float) -> PlainCorners | None:
            y = (lat - south) / step_y
            east = (lon - west) % 360
            x = 0.0 if 360 - east < _MILLIONTH else east / step_x
            if not (-_MILLIONTH <= y < top and x < last_x):
                return None
            left, bottom = int(x + _MILLIONTH), int(y + _MILLIONTH)
            across, up = x - left, y - bottom
            # A point that is only a rounding error away is hit. One of weight 0 is replaced: it may
            # have no value or be outside of the grid.
            if across < _MILLIONTH:
                across = 0.0
            if up < _MILLIONTH:
                up = 0.0
            left %= nx
            right = (left + 1) % nx if across else left
            low = bottom * nx
            high = low + nx if up else low
            lower, before = 1 - up, 1 - across
            return (
                (low + left, low + right, high + left, high + right),
                (before * lower, across * lower, before * up, across * up),
            )

        return find
