"""Read a complete run: the series of a place and whole fields, from the same numbers."""

import os
import weakref
from collections.abc import Callable
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from quartet.wind.grid.arrays import Floats, Int16s
from quartet.wind.grid.geometry import Corners
from quartet.wind.grid.land import LandMask, Surface, open_land
from quartet.wind.grid.layout import (
    CHANNELS,
    NO_DATA,
    SCALE,
    STEPS_PER_BLOCK,
    VALUES_NAME,
    WIND_CHANNELS,
    Header,
    land_path,
    mesh_path,
    read_header,
)
from quartet.wind.grid.mesh import Mesh
from quartet.wind.grid.weather import calendar_of
from quartet.wind.places.water_spots import INCLUDED, WaterSpots

_SCALE = np.float32(SCALE)
_ALL = slice(None)
_SOME_POINTS = 1000
_WIND = slice(len(WIND_CHANNELS) * STEPS_PER_BLOCK)
_ALL_CHANNELS = len(CHANNELS) * STEPS_PER_BLOCK


class StoredRun:
    """Read through a memory map of an open file: a deleted run stays readable for its holders.

    `mesh` is opened if the run has cells and none is given. Raises ValueError if files are damaged.
    """

    def __init__(
        self, folder: Path, mesh: Mesh | None = None, water_spots: WaterSpots = INCLUDED
    ) -> None:
        self.folder = folder
        self.water_spots = water_spots
        self.header: Header = read_header(folder)
        self.model, self.run = self.header.model, self.header.run
        self.mesh = mesh or _mesh_of(folder, self.header)
        self.place = self.header.grid if self.mesh is None else self.mesh
        self.land = _land_of(folder, self.header)
        self._file = os.open(folder / VALUES_NAME, os.O_RDONLY)
        weakref.finalize(self, os.close, self._file)
        if not self.header.supported or os.fstat(self._file).st_size != self.header.size:
            raise ValueError(f"{folder} does not match its header")
        blocks, points, channels, steps = self.header.shape
        # A plain view: slicing a memmap costs more than reading it.
        self._values: Int16s = self._mapped(0, self.header.shape).view(np.ndarray)
        self._by_point = self._values.reshape(blocks, points, channels * steps)
        self.times: list[int] = [self.run + step * 3600 for step in self.header.steps]
        self.calendar: Floats = calendar_of(self.header)
        self._filled: dict[str, bool] = {}
        self._sampled = _ALL if self.header.is_ensemble else _WIND

    def sample(self, lat: float, lon: float, surface: Surface | None = None) -> Floats | None:
        """Return rows in knots, a column per step, or None outside of the grid.

        They are u, v and gust, or the quantiles of an ensemble.
        """
        corners = self.corners(lat, lon, surface)
        if corners is None:
            return None
        numbers = self._by_point.take(corners.points, axis=1)[:, :, self._sampled]
        weights = np.array([corners.weights], np.float32).repeat(len(numbers), axis=0)
        return interpolated(numbers, weights, gaps=has_gaps(numbers))[:, : len(self.times)]

    def corners(self, lat: float, lon: float, surface: Surface | None = None) -> Corners | None:
        """Return the points around a place, or None outside of the grid.

        With a surface, only points of it count, if there are any.
        """
        found = self.place.corners(lat, lon)
        if surface is None or found is None or self.land is None:
            return found
        return self.land.restrict(found, surface)

    def block_reader(self, first_block: int) -> Callable[[NDArray[np.intp], Int16s], None]:
        """Return a function that reads all channels of points, from a block on, into an array.

        The array is shaped (blocks, points, channels * 8).
        """
        # Sliced once, because slicing for each place costs as much as reading it.
        values = self._by_point[first_block:]
        take, channels = values.take, values.shape[2]

        def read_all(points: NDArray[np.intp], out: Int16s) -> None:
            # The mode that needs no buffer; the points are valid.
            take(points, 1, out, "clip")

        def read_some(points: NDArray[np.intp], out: Int16s) -> None:
            """Read a run of an older release, which has fewer channels."""
            out[:] = NO_DATA
            out[:, :, :channels] = take(points, 1)

        return read_all if channels == _ALL_CHANNELS else read_some

    def has_values(self, channel: str) -> bool:
        """Return whether the run has a channel; some models publish no gusts or clouds."""
        if channel not in self.header.channels:
            return False
        if channel not in self._filled:
            number = self.header.channels.index(channel)
            # Some points of the first block are enough: a field arrives as a whole.
            some = self._values[0, :: max(self.header.points // _SOME_POINTS, 1), number]
            self._filled[channel] = bool(some.max() > NO_DATA)
        return self._filled[channel]

    def cell(self, point: int) -> Int16s:
        """Return the numbers of one point as they are stored, shaped (channels, steps)."""
        numbers = self._values[:, point].swapaxes(0, 1)
        return numbers.reshape(len(numbers), -1)[:, : len(self.times)]

    def first_channel(self, points: NDArray[np.int64]) -> Int16s:
        """Return the first channel of many points as it is stored, shaped (points, steps)."""
        numbers = self._values[:, points, 0].swapaxes(0, 1)
        return numbers.reshape(len(points), -1)[:, : len(self.times)]

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
        return self._field(step, rows, columns, slice(len(WIND_CHANNELS)))

    def channel(
        self, step: int, name: str, rows: slice = _ALL, columns: slice | NDArray[np.intp] = _ALL
    ) -> Int16s:
        """Return one channel of one step as it is stored, shaped (ny, nx)."""
        number = self.header.channels.index(name)
        (found,) = self._field(step, rows, columns, slice(number, number + 1))
        return np.asarray(found)

    def _field(
        self, step: int, rows: slice, columns: slice | NDArray[np.intp], channels: slice
    ) -> Int16s:
        block, place = divmod(self.header.steps.index(step), self.header.steps_per_block)
        if self.mesh is not None:
            numbers = range(len(self.header.channels))[channels]
            return self._raster(self.mesh, block, place, rows, columns, numbers)
        grid = self.header.grid
        whole = self._values[block].reshape(grid.ny, grid.nx, *self.header.shape[2:])
        found = whole[rows, :, channels, place]
        return np.ascontiguousarray(found[:, columns].transpose(2, 0, 1))

    def _raster(
        self,
        mesh: Mesh,
        block: int,
        place: int,
        rows: slice,
        columns: slice | NDArray[np.intp],
        channels: range,
    ) -> Int16s:
        """Interpolate the cells at the points of the raster, as `sample` would there."""
        cells = mesh.raster_cells[:, rows][:, :, columns]
        weights = mesh.raster_weights[:, rows][:, :, columns]
        outside = ~weights.any(axis=0)
        field = np.empty((len(channels), *outside.shape), np.int16)
        for row, channel in enumerate(channels):
            values = self._values[block, :, channel, place].astype(np.float32)
            values[values == NO_DATA] = np.nan
            mixed = values[cells[0]] * weights[0]
            for corner in (1, 2):
                mixed += values[cells[corner]] * weights[corner]
            missing = outside | np.isnan(mixed)
            np.rint(mixed, out=mixed)
            mixed[missing] = NO_DATA
            field[row] = mixed
        return field


def has_gaps(numbers: Int16s) -> bool:
    return int(numbers.min()) == NO_DATA


def interpolated(numbers: Int16s, weights: Floats, *, gaps: bool) -> Floats:
    """Turn blocks and their weights, shaped (blocks, 4), into a row for each channel."""
    floats = numbers.astype(np.float32)
    if gaps:
        # Few numbers are missing; finding them is faster than a mask over all.
        floats.reshape(-1)[(numbers.reshape(-1) == NO_DATA).nonzero()[0]] = np.nan
    rows = mixed_rows(floats, weights * _SCALE)
    return np.asarray(rows.reshape(len(rows), -1), np.float32)


def mixed_rows(floats: Floats, weights: Floats) -> Floats:
    """Return the weighted sums of the points, shaped (channels, blocks, 8)."""
    mixed: Floats = np.einsum("bp,bpk->bk", weights, floats)
    return mixed.reshape(len(mixed), -1, STEPS_PER_BLOCK).swapaxes(0, 1)


def _land_of(folder: Path, header: Header) -> LandMask | None:
    if header.has_waves:
        return None
    models = folder.parent.parent
    return open_land(land_path(models, header.model, header.grid, header.cells), header.points)


def _mesh_of(folder: Path, header: Header) -> Mesh | None:
    return None if header.cells is None else Mesh(mesh_path(folder.parent.parent, header.cells))
