"""A complete run: series of a place and whole fields, from the same numbers."""

import os
import weakref
from pathlib import Path
from typing import NamedTuple

import msgspec
import numpy as np
from numpy.typing import NDArray

from quartet.wind.grid.arrays import Floats, Int16s
from quartet.wind.grid.layout import (
    CHANNELS,
    NO_DATA,
    SCALE,
    STEPS_PER_BLOCK,
    VALUES_NAME,
    Header,
    read_header,
)

_SCALE = np.float32(SCALE)
_ALL = slice(None)


class Around(NamedTuple):
    """The four neighbours of a place, shaped (blocks, 4, 24), and how much each of them counts."""

    numbers: Int16s
    weights: tuple[float, float, float, float]


class StoredRun:
    """Reads through maps of an open file: a deleted run stays readable for whoever holds it."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.header: Header = read_header(folder)
        self.model, self.run = self.header.model, self.header.run
        self._file = os.open(folder / VALUES_NAME, os.O_RDONLY)
        weakref.finalize(self, os.close, self._file)
        if not self.header.understood or os.fstat(self._file).st_size != self.header.size:
            raise ValueError(f"{folder} does not hold what its header says")
        blocks, points, channels, steps = self.header.shape
        # The plain view: slicing a memmap costs more than reading it.
        self._values: Int16s = self._mapped(0, self.header.shape).view(np.ndarray)
        self._by_point = self._values.reshape(blocks, points, channels * steps)
        self.times: list[int] = [self.run + step * 3600 for step in self.header.steps]
        told = {"model": self.model, "run": self.run, "times": self.times}
        # For those who write JSON: an object with more to come.
        self.told_json = msgspec.json.encode(told).removesuffix(b"}")

    def sample(self, lat: float, lon: float) -> Floats | None:
        """Rows u, v and gust in knots, a column for each step; nothing outside of the grid."""
        around = self.around(lat, lon)
        if around is None:
            return None
        weights = np.array([around.weights], np.float32).repeat(len(around.numbers), axis=0)
        gaps = has_gaps(around.numbers)
        return interpolated(around.numbers, weights, gaps=gaps)[:, : len(self.times)]

    def around(self, lat: float, lon: float) -> Around | None:
        """For those who interpolate several runs at once."""
        corners = self.header.grid.corners(lat, lon)
        if corners is None:
            return None
        return Around(self._by_point.take(corners.points, axis=1), corners.weights)

    def block(self, number: int) -> Int16s:
        """Rows of all points as a file has them, in a map of its own.

        Pages that were looked at count as our memory until their map is gone.
        """
        blocks, points, channels, steps = self.header.shape
        return self._mapped(number * (self.header.size // blocks), (points, channels * steps))

    def _mapped(self, offset: int, shape: tuple[int, ...]) -> Int16s:
        with open(self._file, "rb", closefd=False) as file:
            return np.memmap(file, np.dtype("<i2"), "r", offset=offset, shape=shape)

    def field(
        self, step: int, rows: slice = _ALL, columns: slice | NDArray[np.intp] = _ALL
    ) -> Int16s:
        """u, v and gust of one hour as hundredths of a knot, shaped (3, ny, nx)."""
        block, place = divmod(self.header.steps.index(step), self.header.steps_per_block)
        grid = self.header.grid
        whole = self._values[block].reshape(grid.ny, grid.nx, *self.header.shape[2:])
        return np.ascontiguousarray(whole[rows, :, :, place][:, columns].transpose(2, 0, 1))


def has_gaps(numbers: Int16s) -> bool:
    return int(numbers.min()) == NO_DATA


def interpolated(numbers: Int16s, weights: Floats, *, gaps: bool) -> Floats:
    """Blocks with their weights, shaped (blocks, 4), to rows u, v and gust in knots."""
    floats = numbers.astype(np.float32)
    if gaps:
        floats[floats == NO_DATA] = np.nan
    mixed = np.einsum("bp,bpk->bk", weights * _SCALE, floats)
    rows = mixed.reshape(-1, len(CHANNELS), STEPS_PER_BLOCK).swapaxes(0, 1)
    return np.asarray(rows.reshape(len(CHANNELS), -1), np.float32)
