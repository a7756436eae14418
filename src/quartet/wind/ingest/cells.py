"""From the triangles of ICON to rows and columns, by a table that is made once."""

import zipfile
from pathlib import Path
from typing import NamedTuple

import msgspec
import numpy as np
from numpy.typing import NDArray

from quartet.wind.grid.arrays import Doubles, Floats
from quartet.wind.grid.geometry import Grid
from quartet.wind.grid.writing import sync
from quartet.wind.models.refused import Refused

_NEIGHBOURS = 3
# Degrees; the finest that is not finer than the cells themselves is taken.
_STEPS = (0.125, 0.25, 0.5, 1.0, 2.0)


class Table(NamedTuple):
    """For each point of the grid its nearest cells, and how much each of them counts."""

    grid: Grid
    cells: int
    nearest: NDArray[np.int32]
    weights: Floats

    def apply(self, values: Floats) -> Floats:
        if values.size != self.cells:
            raise Refused("wrong_grid")
        mixed = values[self.nearest[0]] * self.weights[0]
        for nearest, weights in zip(self.nearest[1:], self.weights[1:], strict=True):
            mixed += values[nearest] * weights
        return np.asarray(mixed, np.float32)


def build_table(lats: Floats, lons: Floats, path: Path) -> Grid:
    if lats.size != lons.size or lats.size < 1000 or not _around_the_world(lats, lons):
        raise Refused("wrong_grid")
    # Here and not above: it takes longer to load than most jobs, and is needed once.
    from scipy.spatial import cKDTree  # type: ignore[import-untyped]

    grid = Grid.world(_step(lats.size))
    tree = cKDTree(_on_sphere(lats, lons))
    rows = grid.south + grid.step_y * np.arange(grid.ny)
    columns = grid.west + grid.step_x * np.arange(grid.nx)
    targets = _on_sphere(np.repeat(rows, grid.nx), np.tile(columns, grid.ny))
    distances, nearest = tree.query(targets, k=_NEIGHBOURS, workers=-1)
    # A point on top of a cell takes that cell alone.
    weights = 1 / np.maximum(distances, 1e-9)
    weights /= weights.sum(axis=1, keepdims=True)
    path.parent.mkdir(parents=True, exist_ok=True)
    part = path.with_suffix(".part.npz")
    np.savez(
        part,
        grid=np.frombuffer(msgspec.json.encode(grid), np.uint8),
        cells=lats.size,
        nearest=nearest.T.astype(np.int32),
        weights=weights.T.astype(np.float32),
    )
    sync(part)
    part.replace(path)
    sync(path.parent)
    return grid


def load_table(path: Path) -> Table:
    """Raises ValueError for what is no table."""
    try:
        with np.load(path) as file:
            grid = msgspec.json.decode(file["grid"].tobytes(), type=Grid)
            return Table(grid, int(file["cells"]), file["nearest"], file["weights"])
    except (EOFError, LookupError, TypeError, zipfile.BadZipFile, msgspec.MsgspecError) as error:
        raise ValueError(f"{path} is damaged") from error


def _around_the_world(lats: Floats, lons: Floats) -> bool:
    return bool(np.ptp(lats) > 170 and np.ptp(lons) > 350 and np.abs(lats).max() <= 90)


def _step(cells: int) -> float:
    size = float(np.degrees(np.sqrt(4 * np.pi / cells)))
    return next((step for step in _STEPS if step >= size), _STEPS[-1])


def _on_sphere(lats: NDArray[np.floating], lons: NDArray[np.floating]) -> Doubles:
    phi, lam = np.radians(lats, dtype=np.float64), np.radians(lons, dtype=np.float64)
    across = np.cos(phi)
    return np.column_stack((across * np.cos(lam), across * np.sin(lam), np.sin(phi)))
