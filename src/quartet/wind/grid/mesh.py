"""The triangles between the cell centres of an unstructured grid, read from a file.

`ingest/meshing.py` builds the file once per grid. It is memory-mapped, so all processes share it
and a lookup reads a few pages.
"""

import mmap
import struct
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
from numpy.typing import NDArray

from quartet.wind.grid.arrays import Doubles, Floats
from quartet.wind.grid.geometry import Corners, Grid
from quartet.wind.grid.writing import replacing

# A place on an edge belongs to both triangles; rounding must not put it between them.
TOLERANCE = 1e-9
# Degrees; a place that is further away from a triangle is not on its edge.
_BESIDE = 1e-6
_ALIGNMENT = 64
_LENGTH = struct.Struct("<Q")
_TRIANGLE = struct.Struct("<3i")


class _Array(msgspec.Struct, frozen=True):
    dtype: str
    shape: tuple[int, ...]
    offset: int


class _Contents(msgspec.Struct, frozen=True):
    """`grid` is the raster on which the map is drawn; its squares also are the search bins."""

    grid: Grid
    arrays: dict[str, _Array]


class Mesh:
    """Interpolates linearly between the three cell centres around a place.

    The triangles that touch a square of the raster are those in `members` from `starts[square]` to
    `starts[square + 1]`. Raises ValueError if the file is damaged.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        try:
            with path.open("rb") as file:
                contents = _read_contents(file)
                mapped = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
            arrays = {name: _view(mapped, each) for name, each in contents.arrays.items()}
            self.grid = contents.grid
            self.lats: Doubles = arrays["lats"]
            self.lons: Doubles = arrays["lons"]
            self.triangles: NDArray[np.int32] = arrays["triangles"]
            self.starts: NDArray[np.int32] = arrays["starts"]
            self.members: NDArray[np.int32] = arrays["members"]
            # For each point of the raster, shaped (3, ny, nx); weight 0 where there is no value.
            self.raster_cells: NDArray[np.int32] = arrays["raster_cells"]
            self.raster_weights: Floats = arrays["raster_weights"]
        except (struct.error, LookupError, TypeError, msgspec.MsgspecError) as error:
            raise ValueError(f"{path} is damaged") from error
        # Indexing a memoryview is several times faster than indexing an array.
        self._lats, self._lons = self.lats.data, self.lons.data
        self._triangles = self.triangles.data
        self._starts, self._members = self.starts.data, self.members.data
        # Several models share a mesh, and all of them are asked for the same place in turn.
        self._last: tuple[float, float, Corners | None] | None = None

    @property
    def cells(self) -> int:
        return len(self.lats)

    def corners(self, lat: float, lon: float) -> Corners | None:
        """Return the cells around a place, or None outside of the mesh.

        A fourth corner with weight 0 makes the result as long as that of a regular grid.
        """
        last = self._last
        if last is not None and last[0] == lat and last[1] == lon:
            return last[2]
        found = self._search(lat, lon)
        self._last = (lat, lon, found)
        return found

    def _search(self, lat: float, lon: float) -> Corners | None:
        square = square_of(self.grid, lat, lon)
        if square is None:
            return None
        lats, lons, triangles = self._lats, self._lons, self._triangles
        corners_of = _TRIANGLE.unpack_from
        wraps = self.grid.wraps
        for member in self._members[self._starts[square] : self._starts[square + 1]]:
            a, b, c = corners_of(triangles, member * _TRIANGLE.size)
            ay, by, cy = lats[a] - lat, lats[b] - lat, lats[c] - lat
            # Most triangles are entirely on one side of the place, which is quick to see.
            if (ay > _BESIDE < by and cy > _BESIDE) or (ay < -_BESIDE > by and cy < -_BESIDE):
                continue
            ax, bx, cx = lons[a] - lon, lons[b] - lon, lons[c] - lon
            if wraps:
                ax, bx, cx = (ax + 180) % 360 - 180, (bx + 180) % 360 - 180, (cx + 180) % 360 - 180
            if (ax > _BESIDE < bx and cx > _BESIDE) or (ax < -_BESIDE > bx and cx < -_BESIDE):
                continue
            wa, wb, wc = bx * cy - cx * by, cx * ay - ax * cy, ax * by - bx * ay
            area = wa + wb + wc
            if wa / area >= -TOLERANCE and wb / area >= -TOLERANCE and wc / area >= -TOLERANCE:
                return _corners((a, b, c), (wa / area, wb / area, wc / area))
        return self._at_pole(lat, lon) if self.grid.wraps else None

    def corners_of(
        self, lats: Doubles, lons: Doubles
    ) -> tuple[NDArray[np.int64], Floats, NDArray[np.bool_]]:
        """Return points and weights, shaped (places, 4), and whether a place is on the mesh."""
        points = np.zeros((len(lats), 4), np.int64)
        weights = np.zeros((len(lats), 4), np.float32)
        inside = np.zeros(len(lats), np.bool_)
        for number, (lat, lon) in enumerate(zip(lats.tolist(), lons.tolist(), strict=True)):
            found = self.corners(lat, lon)
            if found is not None:
                points[number], weights[number] = found
                inside[number] = True
        return points, weights, inside

    def _at_pole(self, lat: float, lon: float) -> Corners | None:
        """The triangles around a pole have no place in a plane of degrees: take the raster's."""
        grid = self.grid
        row = min(max(round((lat - grid.south) / grid.step_y), 0), grid.ny - 1)
        column = round((lon - grid.west) % 360 / grid.step_x) % grid.nx
        a, b, c = self.raster_cells[:, row, column].tolist()
        weights = wa, wb, wc = self.raster_weights[:, row, column].tolist()
        return _corners((a, b, c), (wa, wb, wc)) if sum(weights) else None


def square_of(grid: Grid, lat: float, lon: float) -> int | None:
    """Return the number of the raster's square that holds a place."""
    row = int((lat - grid.south) // grid.step_y)
    column = int((lon - grid.west) % 360 // grid.step_x)
    columns = squares_across(grid)
    if row == grid.ny - 1:
        row -= 1
    if not (0 <= row < grid.ny - 1 and column < columns):
        return None
    return row * columns + column


def squares_across(grid: Grid) -> int:
    return grid.nx if grid.wraps else grid.nx - 1


def write_mesh(path: Path, grid: Grid, arrays: dict[str, NDArray[Any]]) -> None:
    """Write a mesh file; it appears under its name once it is complete."""
    placed, offset = {}, 0
    for name, array in arrays.items():
        placed[name] = _Array(array.dtype.str, array.shape, offset)
        offset += -(-array.nbytes // _ALIGNMENT) * _ALIGNMENT
    header = msgspec.json.encode(_Contents(grid, placed))
    header += b" " * (-(_LENGTH.size + len(header)) % _ALIGNMENT)
    with replacing(path, ".part") as part, part.open("wb") as file:
        file.write(_LENGTH.pack(len(header)) + header)
        for array in arrays.values():
            file.write(np.ascontiguousarray(array).data)
            file.write(bytes(-array.nbytes % _ALIGNMENT))


def _corners(cells: tuple[int, int, int], weights: tuple[float, float, float]) -> Corners:
    """Replace cells that do not count: they may have no value."""
    if min(weights) > 0:
        return Corners((*cells, cells[0]), (*weights, 0.0))
    heaviest = cells[max(range(3), key=weights.__getitem__)]
    a, b, c = (
        cell if weight > 0 else heaviest for cell, weight in zip(cells, weights, strict=True)
    )
    return Corners((a, b, c, heaviest), (weights[0], weights[1], weights[2], 0.0))


def _read_contents(file: Any) -> _Contents:
    (length,) = _LENGTH.unpack(file.read(_LENGTH.size))
    contents = msgspec.json.decode(file.read(min(length, 1 << 20)), type=_Contents)
    start = _LENGTH.size + length
    arrays = {
        name: _Array(each.dtype, each.shape, each.offset + start)
        for name, each in contents.arrays.items()
    }
    return _Contents(contents.grid, arrays)


def _view(mapped: mmap.mmap, array: _Array) -> NDArray[Any]:
    count = int(np.prod(array.shape))
    return np.frombuffer(mapped, np.dtype(array.dtype), count, array.offset).reshape(array.shape)
