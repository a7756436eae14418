"""Make runs of every model with all their steps and fields, from the weather of the demo."""

import sys
import time
from pathlib import Path

import numpy as np

from quartet.wind.demo.fields import ForecastFields, coordinates_of, place_of
from quartet.wind.grid import writing
from quartet.wind.grid.arrays import Doubles, Floats, Int16s
from quartet.wind.grid.geometry import Grid
from quartet.wind.grid.layout import CHANNELS, CellGrid, Header, mesh_path
from quartet.wind.grid.steps import write_step
from quartet.wind.ingest.fields import WindFields, store_weather, store_wind
from quartet.wind.ingest.meshing import build_mesh
from quartet.wind.models.catalogue import MODELS

# The parameters in whose unit the demo has its weather.
_PARAMETERS = {
    "temperature": (0, 0, 0),
    "precipitation": (0, 1, 8),
    "cloud": (0, 6, 1),
    "pressure": (0, 3, 1),
}


def fill(folder: Path) -> None:
    for model in MODELS:
        run = model.run_at_or_before(time.time() - model.delay - model.span) // 43200 * 43200
        grid, cells = place_in(folder, model.id)
        steps = model.steps_of(run)
        header = Header(model.id, run, steps, grid, run, channels=CHANNELS, cells=cells)
        unfinished = writing.begin(folder, header)
        fields = ForecastFields(model.id, run, "small")
        for step in header.steps:
            write_step(unfinished, header, step, numbers_of(fields, step, header.points))
        writing.finish(unfinished, header)


def numbers_of(fields: ForecastFields, step: int, points: int) -> Int16s:
    rows = np.empty((len(CHANNELS), points), np.int16)
    store_wind(WindFields(*(_floats(each) for each in fields.at(step))), step, rows)
    for channel, values in fields.sky(step)._asdict().items():
        row = rows[CHANNELS.index(channel)]
        store_weather(channel, _PARAMETERS[channel], _floats(values), row)
    return rows


def _floats(values: Doubles) -> Floats:
    return np.array(values, np.float32).reshape(-1)


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
