"""Build the mesh of an unstructured grid from the latitude and longitude of its cells.

Regional grids are triangulated in the plane of degrees, as scipy's `LinearNDInterpolator` does.
Grids of the whole world are triangulated on the sphere, which has neither a date line nor poles;
this is done in tiles, because one triangulation of three million cells takes several gigabytes.
"""

from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from quartet.wind.grid.arrays import Doubles, Floats
from quartet.wind.grid.geometry import Grid
from quartet.wind.grid.mesh import TOLERANCE, squares_across, write_mesh
from quartet.wind.models.refused import Refused

Int32s = NDArray[np.int32]

_FEWEST_CELLS = 100
# Degrees between points of the raster; the coarsest that is hardly coarser than the cells is used.
_RASTER_STEPS = (2.0, 1.0, 0.5, 0.25, 0.125, 0.1, 0.0625, 0.05, 0.025, 0.02, 0.0125, 0.01)
# Longer edges connect cells across a bay of the domain's border, not neighbours.
_LONGEST_EDGE = 10.0
_CELLS_PER_TILE = 200_000
_FEWEST_TILES = 6
# Cell sizes by which a tile overlaps its neighbours, and the largest angle from its centre.
_TILE_MARGIN = 8.0
_WIDEST_TILE = 2.6
_GOLDEN_ANGLE = 180 * (3 - 5**0.5)
# Triangles or pairs that are worked on at once, to bound memory.
_CHUNK = 1_000_000


def build_mesh(lats: Floats, lons: Floats, path: Path) -> Grid:
    """Write the mesh file and return the raster of its map."""
    if lats.size != lons.size or lats.size < _FEWEST_CELLS:
        raise Refused("wrong_grid")
    if not (np.isfinite(lats).all() and np.isfinite(lons).all() and np.abs(lats).max() <= 90):
        raise Refused("wrong_grid")
    cells = _Cells(lats.astype(np.float64), (lons.astype(np.float64) + 180) % 360 - 180)
    around_world = bool(np.ptp(cells.lats) > 170 and np.ptp(cells.lons) > 350)
    grid = _world_raster(lats.size) if around_world else _regional_raster(cells)
    triangles = _spherical(cells) if around_world else _planar(cells)
    triangles = _without_degenerate(cells, triangles, wraps=grid.wraps)
    starts, members = _bins(grid, cells, triangles)
    raster_cells, raster_weights = _raster(grid, cells, triangles, starts, members)
    write_mesh(
        path,
        grid,
        {
            "lats": cells.lats,
            "lons": cells.lons,
            "triangles": triangles,
            "starts": starts,
            "members": members,
            "raster_cells": raster_cells,
            "raster_weights": raster_weights,
        },
    )
    return grid


class _Cells(NamedTuple):
    lats: Doubles
    lons: Doubles


def _world_raster(cells: int) -> Grid:
    size = float(np.degrees(np.sqrt(4 * np.pi / cells)))
    return Grid.world(_raster_step(size))


def _regional_raster(cells: _Cells) -> Grid:
    """A raster whose outer points lie on or beyond the outermost cells."""
    height, width = float(np.ptp(cells.lats)), float(np.ptp(cells.lons))
    size = np.sqrt(height * width / cells.lats.size)
    step = _raster_step(float(size))
    west, south = np.floor(cells.lons.min() / step), np.floor(cells.lats.min() / step)
    east, north = np.ceil(cells.lons.max() / step), np.ceil(cells.lats.max() / step)
    nx, ny = max(int(east - west), 1) + 1, max(int(north - south), 1) + 1
    return Grid(round(float(west) * step, 6), round(float(south) * step, 6), step, step, nx, ny)


def _raster_step(size: float) -> float:
    return next((each for each in _RASTER_STEPS if each <= 1.1 * size), _RASTER_STEPS[-1])


def _planar(cells: _Cells) -> Int32s:
    # Imported here: scipy takes longer to load than most jobs, and this one is rare.
    from scipy.spatial import Delaunay, QhullError  # type: ignore[import-untyped]

    points = np.column_stack(cells[::-1])
    try:
        triangles = Delaunay(points).simplices
    except QhullError:
        raise Refused("wrong_grid") from None
    corners = points[triangles]
    edges = np.hypot(*np.moveaxis(corners - np.roll(corners, 1, axis=1), 2, 0)).max(axis=1)
    return np.asarray(triangles[edges <= _LONGEST_EDGE * np.median(edges)], np.int32)


def _spherical(cells: _Cells) -> Int32s:
    """Triangulate tile by tile; a triangle belongs to the tile that holds its circumcentre."""
    from scipy.spatial import Delaunay, cKDTree

    points = _on_sphere(cells.lats, cells.lons)
    margin = _TILE_MARGIN * np.sqrt(4 * np.pi / len(points))
    centres = _tile_centres(max(_FEWEST_TILES, round(len(points) / _CELLS_PER_TILE)))
    tree = cKDTree(centres)
    owners = tree.query(points)[1]
    found = []
    for tile, centre in enumerate(centres):
        towards = points @ centre
        reach = np.arccos(np.clip(towards[owners == tile].min(initial=1), -1, 1)) + margin
        near = np.flatnonzero(towards >= np.cos(min(reach, _WIDEST_TILE)))
        local = near[Delaunay(_projected(points[near], centre)).simplices]
        found.append(local[tree.query(_circumcentres(points, local))[1] == tile].astype(np.int32))
    return np.concatenate(found)


def _tile_centres(count: int) -> Doubles:
    """Spread points evenly over the sphere."""
    number = np.arange(count)
    lats = np.degrees(np.arcsin(1 - 2 * (number + 0.5) / count))
    return _on_sphere(lats, number * _GOLDEN_ANGLE)


def _projected(points: Doubles, centre: Doubles) -> Doubles:
    """Project stereographically: circles stay circles, and so do empty circumcircles."""
    east = np.cross((0.0, 0.0, 1.0) if abs(centre[2]) < 0.9 else (1.0, 0.0, 0.0), centre)
    east /= np.linalg.norm(east)
    plane = np.column_stack((points @ east, points @ np.cross(centre, east)))
    return np.asarray(plane / (1 + points @ centre)[:, None])


def _circumcentres(points: Doubles, triangles: NDArray[np.integer]) -> Doubles:
    a, b, c = (points[triangles[:, corner]] for corner in range(3))
    normals = np.cross(b - a, c - a)
    normals *= np.sign(np.einsum("ij,ij->i", normals, a))[:, None]
    return np.asarray(normals / np.linalg.norm(normals, axis=1, keepdims=True))


def _on_sphere(lats: NDArray[np.floating], lons: NDArray[np.floating]) -> Doubles:
    phi, lam = np.radians(lats, dtype=np.float64), np.radians(lons, dtype=np.float64)
    across = np.cos(phi)
    return np.column_stack((across * np.cos(lam), across * np.sin(lam), np.sin(phi)))


def _corner_degrees(cells: _Cells, triangles: Int32s, *, wraps: bool) -> tuple[Doubles, Doubles]:
    """Return longitudes and latitudes of all corners, shaped (triangles, 3).

    Across the date line longitudes continue beyond 180.
    """
    lons, lats = cells.lons[triangles], cells.lats[triangles]
    if wraps:
        lons = lons[:, :1] + (lons - lons[:, :1] + 180) % 360 - 180
    return lons, lats


def _without_degenerate(cells: _Cells, triangles: Int32s, *, wraps: bool) -> Int32s:
    """Drop triangles without an area, and those around a pole, which have none in degrees."""
    lons, lats = _corner_degrees(cells, triangles, wraps=wraps)
    area = (lons[:, 1] - lons[:, 0]) * (lats[:, 2] - lats[:, 0])
    area -= (lons[:, 2] - lons[:, 0]) * (lats[:, 1] - lats[:, 0])
    good = np.abs(area) > 1e-12
    if wraps:
        good &= np.ptp(lons, axis=1) < 180
    return np.ascontiguousarray(triangles[good])


def _bins(grid: Grid, cells: _Cells, triangles: Int32s) -> tuple[Int32s, Int32s]:
    """List for each square of the raster the triangles whose bounding box touches it."""
    columns, rows = squares_across(grid), grid.ny - 1
    squares, members = [], []
    for start in range(0, len(triangles), _CHUNK):
        part = triangles[start : start + _CHUNK]
        lons, lats = _corner_degrees(cells, part, wraps=grid.wraps)
        x, y = (lons - grid.west) / grid.step_x, (lats - grid.south) / grid.step_y
        left, width = _spans(x)
        bottom, height = _spans(np.clip(y, 0, rows - 1e-9))
        count = width * height
        which = np.repeat(np.arange(len(part)), count)
        within = np.arange(count.sum()) - np.repeat(np.cumsum(count) - count, count)
        column = left[which] + within % width[which]
        row = bottom[which] + within // width[which]
        column = column % columns if grid.wraps else np.clip(column, 0, columns - 1)
        squares.append((row * columns + column).astype(np.int32))
        members.append((which + start).astype(np.int32))
    square = np.concatenate(squares)
    order = np.argsort(square, kind="stable")
    starts = np.zeros(rows * columns + 1, np.int32)
    np.cumsum(np.bincount(square, minlength=rows * columns), out=starts[1:])
    return starts, np.concatenate(members)[order]


def _spans(positions: Doubles) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the first square and the number of squares that three corners span."""
    first = np.floor(positions.min(axis=1)).astype(np.int64)
    return first, np.floor(positions.max(axis=1)).astype(np.int64) - first + 1


def _raster(
    grid: Grid, cells: _Cells, triangles: Int32s, starts: Int32s, members: Int32s
) -> tuple[Int32s, Floats]:
    """Find the triangle around each point of the raster, which is a corner of its square."""
    columns = squares_across(grid)
    found = np.zeros((3, grid.ny * grid.nx), np.int32)
    weights = np.zeros((3, grid.ny * grid.nx), np.float32)
    square = np.repeat(np.arange(len(starts) - 1), np.diff(starts))
    for start in range(0, len(members), _CHUNK):
        row, column = np.divmod(square[start : start + _CHUNK], columns)
        part = triangles[members[start : start + _CHUNK]]
        shares = _shares(
            grid, cells, part, grid.south + row * grid.step_y, grid.west + column * grid.step_x
        )
        inside = (shares >= -TOLERANCE).all(axis=0)
        point = (row * grid.nx + column)[inside]
        shares, part = np.clip(shares[:, inside], 0, 1), part[inside].T
        # A cell that does not count may have no value, so it is replaced by one that counts.
        heaviest = np.take_along_axis(part, shares.argmax(axis=0)[None], axis=0)
        found[:, point] = np.where(shares > 0, part, heaviest)
        weights[:, point] = shares
    if grid.wraps:
        _fill_poles(grid, cells, found, weights)
    shape = (3, grid.ny, grid.nx)
    return found.reshape(shape), weights.reshape(shape)


def _shares(grid: Grid, cells: _Cells, triangles: Int32s, lats: Doubles, lons: Doubles) -> Doubles:
    """Return the barycentric weights of places in their triangles, shaped (3, places)."""
    x, y = cells.lons[triangles.T] - lons, cells.lats[triangles.T] - lats
    if grid.wraps:
        x = (x + 180) % 360 - 180
    areas = np.stack(
        (x[1] * y[2] - x[2] * y[1], x[2] * y[0] - x[0] * y[2], x[0] * y[1] - x[1] * y[0])
    )
    return np.asarray(areas / areas.sum(axis=0))


def _fill_poles(grid: Grid, cells: _Cells, found: Int32s, weights: Floats) -> None:
    """Give the points of the raster that no triangle holds their nearest cell."""
    from scipy.spatial import cKDTree

    empty = np.flatnonzero(weights.sum(axis=0) == 0)
    row, column = np.divmod(empty, grid.nx)
    places = _on_sphere(grid.south + row * grid.step_y, grid.west + column * grid.step_x)
    found[:, empty] = cKDTree(_on_sphere(cells.lats, cells.lons)).query(places)[1]
    weights[0, empty] = 1
