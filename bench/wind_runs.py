"""Make runs of every model with all their steps, of random numbers."""

import sys
import time
from pathlib import Path

import numpy as np

from quartet.wind.demo.fields import coordinates_of, place_of
from quartet.wind.grid import writing
from quartet.wind.grid.geometry import Grid
from quartet.wind.grid.layout import CellGrid, Header, mesh_path
from quartet.wind.grid.steps import write_step
from quartet.wind.ingest.meshing import build_mesh
from quartet.wind.models.catalogue import MODELS


def fill(folder: Path) -> None:
    random = np.random.default_rng(1)
    for model in MODELS:
        run = model.run_at_or_before(time.time() - model.delay - model.span) // 43200 * 43200
        grid, cells = place_in(folder, model.id)
        header = Header(model.id, run, model.steps_of(run), grid, run, cells=cells)
        unfinished = writing.begin(folder, header)
        for step in header.steps:
            fields = random.integers(-3000, 3000, (3, header.points), dtype=np.int16)
            fields[2] = 5000
            write_step(unfinished, header, step, fields)
        writing.finish(unfinished, header)


def place_in(folder: Path, model: str) -> tuple[Grid, CellGrid | None]:
    """Return the grid of a model, and the cells of one that has a mesh."""
    place = place_of(model, "small")
    if isinstance(place, Grid):
        return place, None
    cells = CellGrid(f"{place.number}-{place.uuid}-{place.count}", place.count)
    lats, lons = (each.astype(np.float32) for each in coordinates_of(place))
    return build_mesh(lats, lons, mesh_path(folder, cells)), cells


if __name__ == "__main__":
    fill(Path(sys.argv[1]))
