"""The fields of a demo run, on the real grids or on coarser ones that are quickly made."""

from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from quartet.wind.demo.errors import forecast_at, forecast_map
from quartet.wind.demo.weather import Truth
from quartet.wind.grid.arrays import Doubles
from quartet.wind.grid.geometry import Grid
from quartet.wind.models.catalogue import MODELS
from quartet.wind.settings import DemoSize

# Pascal everywhere: a field nobody asks for.
MADE_UP = 101325.0

# Degrees between points: those of the real models, and those of the quick demo.
_STEPS = {
    "full": {
        "icon-d2": 0.02,
        "icon-eu": 0.0625,
        "arome": 0.025,
        "arpege": 0.1,
        "ecmwf": 0.25,
        "gfs": 0.25,
    },
    "small": {
        "icon-d2": 0.2,
        "icon-eu": 0.5,
        "arome": 0.2,
        "arpege": 0.5,
        "ecmwf": 1.5,
        "gfs": 2.5,
    },
    "tiny": {
        "icon-d2": 0.5,
        "icon-eu": 1.0,
        "arome": 0.5,
        "arpege": 1.0,
        "ecmwf": 5.0,
        "gfs": 5.0,
    },
}
_CELLS = {"full": 2_949_120, "small": 4_000, "tiny": 3_000}
_GOLDEN_ANGLE = 180 * (3 - 5**0.5)


class ForecastFields:
    """`place` is a grid, or the number of cells for the model that has no rows."""

    def __init__(self, model: str, run: int, size: DemoSize) -> None:
        self.model, self.run = model, run
        self.place: Grid | int = place_of(model, size)
        self.lats, self.lons = _coordinates(self.place)

    def at(self, step: int) -> Truth:
        forecast = forecast_at if isinstance(self.place, int) else forecast_map
        return forecast(self.model, self.run, self.lats, self.lons, self.run + step * 3600)


def place_of(model_id: str, size: DemoSize) -> Grid | int:
    model = next(each for each in MODELS if each.id == model_id)
    if model.cells is not None:
        return _CELLS[size]
    step = _STEPS[size][model_id]
    return Grid.over(model.area, step) if model.area else Grid.world(step)


@lru_cache(maxsize=16)
def _coordinates(place: Grid | int) -> tuple[Doubles, Doubles]:
    if isinstance(place, Grid):
        rows, columns = np.arange(place.ny), np.arange(place.nx)
        return _doubles(place.south + place.step_y * rows), _doubles(
            place.west + place.step_x * columns
        )
    # Cells spread evenly over the earth, as a sunflower does it with its seeds.
    number = np.arange(place)
    lats = np.degrees(np.arcsin(1 - 2 * (number + 0.5) / place))
    return _doubles(lats), _doubles((number * _GOLDEN_ANGLE + 180) % 360 - 180)


def _doubles(values: NDArray[np.floating]) -> Doubles:
    return np.asarray(values, np.float64)
