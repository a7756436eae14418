"""Read a complete run: the series of a place and whole fields, from the same numbers."""

import os
import weakref
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from quartet.wind.grid.arrays import Floats, Int16s
from quartet.wind.grid.geometry import Corners
from quartet.wind.grid.layout import (
    CHANNELS,
    NO_DATA,
    SCALE,
    STEPS_PER_BLOCK,
    VALUES_NAME,
    Header,
    mesh_path,
    read_header,
)
from quartet.wind.grid.mesh import Mesh

_SCALE = np.float32(SCALE)
_ALL = slice(None)


class Around(NamedTuple):
    """The corners around a place, shaped (blocks, 4, 24), and the weight of each."""

    numbers: Int16s
    weights: tuple[float, float, float, float]


class StoredRun:
    """Read through a memory map of an open file: a deleted run stays readable for its holders.

    `mesh` is opened if the run has cells and none is given. Raises ValueError if files are damaged.
    """

    def __init__(self, folder: Path, mesh: Mesh | None = None) -> None:
        self.folder = folder
        self.header: Header = read_header(folder)
        self.model, self.run = self.header.model, self.header.run
        self.mesh = mesh or _mesh_of(folder, self.header)
        self._place = self.header.grid if self.mesh is None else self.mesh
        self._file = os.open(folder / VALUES_NAME, os.O_RDONLY)
        weakref.finalize(self, os.close, self._file)
        if not self.header.supported or os.fstat(self._file).st_size != self.header.size:
            raise ValueError(f"{folder} does not match its header")
        blocks, points, channels, steps = self.header.shape
        # A plain view: slicing a memmap costs more than reading it.
        self._values: Int16s = self._mapped(0, self.header.shape).view(np.ndarray)
        self._by_point = self._values.reshape(blocks, points, channels * steps)
        self.times: list[int] = [self.run + step * 3600 for step in self.header.steps]

    def sample(self, lat: float, lon: float) -> Floats | None:
        """Return rows u, v and gust in knots, a column per step, or None outside of the grid."""
        around = self.around(lat, lon)
        if around is None:
            return None
        weights = np.array([around.weights], np.float32).repeat(len(around.numbers), axis=0)
        gaps = has_gaps(around.numbers)
        return interpolated(around.numbers, weights, gaps=gaps)[:, : len(self.times)]

    def around(self, lat: float, lon: float, first_block: int = 0) -> Around | None:
        """Return the corners of a place, for callers that interpolate several runs at once."""
        corners: Corners | None = self._place.corners(lat, lon)
        if corners is None:
            return None
        return Around(self._by_point[first_block:].take(corners.points, axis=1), corners.weights)

    def block(self, number: int) -> Int16s:
        """Return rows of all points as the file has them, in a separate memory map.

        Pages that were read count as memory of the process until their map is closed.
        """
        _, points, channels, steps = self.header.shape
        return self._mapped(number * self.header.block_size, (points, channels * steps))

    def _mapped(self, offset: int, shape: tuple[int, ...]) -> Int16s:
        with open(self._file, "rb", closefd=False) as file:
            return np.memmap(file, np.dtype("<i2"), "r", offset=offset, shape=shape)

    def field(
        self, step: int, rows: slice = _ALL, columns: slice | NDArray[np.intp] = _ALL
    ) -> Int16s:
        """Return u, v and gust of one step in hundredths of a knot, shaped (3, ny, nx)."""
        block, place = divmod(self.header.steps.index(step), self.header.steps_per_block)
        if self.mesh is not None:
            return self._raster(self.mesh, block, place, rows, columns)
        grid = self.header.grid
        whole = self._values[block].reshape(grid.ny, grid.nx, *self.header.shape[2:])
        return np.ascontiguousarray(whole[rows, :, :, place][:, columns].transpose(2, 0, 1))

    def _raster(
        self, mesh: Mesh, block: int, place: int, rows: slice, columns: slice | NDArray[np.intp]
    ) -> Int16s:
        """Interpolate the cells at the points of the raster, as `sample` would there."""
        cells = mesh.raster_cells[:, rows][:, :, columns]
        weights = mesh.raster_weights[:, rows][:, :, columns]
        outside = ~weights.any(axis=0)
        field = np.empty((len(CHANNELS), *outside.shape), np.int16)
        for channel in range(len(CHANNELS)):
            values = self._values[block, :, channel, place].astype(np.float32)
            values[values == NO_DATA] = np.nan
            mixed = values[cells[0]] * weights[0]
            for corner in (1, 2):
                mixed += values[cells[corner]] * weights[corner]
            missing = outside | np.isnan(mixed)
            np.rint(mixed, out=mixed)
            mixed[missing] = NO_DATA
            field[channel] = mixed
        return field


def has_gaps(numbers: Int16s) -> bool:
    return int(numbers.min()) == NO_DATA


def interpolated(numbers: Int16s, weights: Floats, *, gaps: bool) -> Floats:
    """Turn blocks and their weights, shaped (blocks, 4), into rows u, v and gust in knots."""
    floats = numbers.astype(np.float32)
    if gaps:
        floats[floats == NO_DATA] = np.nan
    mixed = np.einsum("bp,bpk->bk", weights * _SCALE, floats)
    rows = mixed.reshape(-1, len(CHANNELS), STEPS_PER_BLOCK).swapaxes(0, 1)
    return np.asarray(rows.reshape(len(CHANNELS), -1), np.float32)


def _mesh_of(folder: Path, header: Header) -> Mesh | None:
    return None if header.cells is None else Mesh(mesh_path(folder.parent.parent, header.cells))
