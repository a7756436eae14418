"""The fields of a demo run, on grids like the real ones or on coarser, quicker ones."""

import hashlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from quartet.wind.demo.errors import forecast_at, forecast_map
from quartet.wind.demo.sky import Sky, sky_at, sky_map
from quartet.wind.demo.weather import Truth
from quartet.wind.grid.arrays import Doubles
from quartet.wind.grid.geometry import Area, Grid
from quartet.wind.models.catalogue import MODELS
from quartet.wind.models.icon.upstream import IconUpstream
from quartet.wind.settings import DemoSize

# Degrees between the points of regular grids.
_STEPS = {
    "full": {"arome": 0.025, "arpege": 0.1, "ecmwf": 0.25, "aifs": 0.25, "gfs": 0.25},
    "small": {"arome": 0.2, "arpege": 0.5, "ecmwf": 1.5, "aifs": 1.5, "gfs": 2.5},
    "tiny": {"arome": 0.5, "arpege": 1.0, "ecmwf": 5.0, "aifs": 5.0, "gfs": 5.0},
}
# Cells of unstructured grids, and the numbers by which DWD knows the grids.
_CELLS = {
    "full": {"icon-d2": 542_040, "icon-eu": 768_608, "icon": 2_949_120},
    "small": {"icon-d2": 9_000, "icon-eu": 14_000, "icon": 4_000},
    "tiny": {"icon-d2": 1_500, "icon-eu": 3_500, "icon": 3_000},
}
_GRID_NUMBERS = {"icon-d2": 47, "icon-eu": 62, "icon": 26}
_SAME_GRID = {"icon-d2-ruc": "icon-d2", "aicon": "icon"}
# The cells at the border of ICON-D2 have no values.
_MASKED_BORDER = {"icon-d2": 0.01}
# More cells are sampled from a map, which is much faster to compute.
_MOST_EXACT_CELLS = 50_000
_MAP_STEP = 0.0625
_GOLDEN_ANGLE = 180 * (3 - 5**0.5)
# Multiples of these, modulo 1, fill a square evenly.
_EVENLY = (0.7548776662466927, 0.5698402909980532)


Fields = Sequence[Doubles]
# Of a model, a run, latitudes, longitudes and a time.
Forecast = Callable[[str, int, Doubles, Doubles, float], Fields]


@dataclass(frozen=True)
class CellPlace:
    """An unstructured grid; `area` is None for the whole world."""

    number: int
    count: int
    area: Area | None
    masked: float = 0.0

    @property
    def uuid(self) -> str:
        return hashlib.md5(f"{self}".encode(), usedforsecurity=False).hexdigest()


class ForecastFields:
    """The fields of one run of a model."""

    def __init__(
        self, model: str, run: int, size: DemoSize, place: Grid | CellPlace | None = None
    ) -> None:
        self.model, self.run = model, run
        self.place: Grid | CellPlace = place or place_of(model, size)
        self.lats, self.lons = coordinates_of(self.place)

    def at(self, step: int) -> Truth:
        return Truth(*self._fields(step, forecast_map, forecast_at))

    def sky(self, step: int) -> Sky:
        return Sky(*self._fields(step, sky_map, sky_at))

    def _fields(self, step: int, on_map: Forecast, at_places: Forecast) -> Fields:
        time = self.run + step * 3600
        if isinstance(self.place, Grid):
            return on_map(self.model, self.run, self.lats, self.lons, time)
        if self.place.count > _MOST_EXACT_CELLS:
            return self._sampled(time, on_map)
        return self._masked(at_places(self.model, self.run, self.lats, self.lons, time))

    def _sampled(self, time: int, on_map: Forecast) -> Fields:
        south, west = self.lats.min(), self.lons.min()
        rows = np.rint((self.lats - south) / _MAP_STEP).astype(int)
        columns = np.rint((self.lons - west) / _MAP_STEP).astype(int)
        lats = south + _MAP_STEP * np.arange(rows.max() + 1)
        lons = west + _MAP_STEP * np.arange(columns.max() + 1)
        fields = on_map(self.model, self.run, lats, lons, time)
        return self._masked([field[rows, columns] for field in fields])

    def _masked(self, fields: Fields) -> Fields:
        """Remove the values at the border, if the model has none there."""
        place = self.place
        if isinstance(place, Grid) or place.area is None or not place.masked:
            return fields
        x = (self.lons - place.area.w) / (place.area.e - place.area.w)
        y = (self.lats - place.area.s) / (place.area.n - place.area.s)
        border = np.minimum(np.minimum(x, 1 - x), np.minimum(y, 1 - y)) < place.masked
        return [np.where(border, np.nan, field) for field in fields]


def place_of(model_id: str, size: DemoSize) -> Grid | CellPlace:
    model = next(each for each in MODELS if each.id == model_id)
    if isinstance(model.upstream, IconUpstream):
        family = _SAME_GRID.get(model_id, model_id)
        masked = _MASKED_BORDER.get(family, 0.0)
        return CellPlace(_GRID_NUMBERS[family], _CELLS[size][family], model.area, masked)
    step = _STEPS[size][model_id]
    return Grid.over(model.area, step) if model.area else Grid.world(step)


@lru_cache(maxsize=16)
def coordinates_of(place: Grid | CellPlace) -> tuple[Doubles, Doubles]:
    """Return latitudes and longitudes, of rows and columns or of cells."""
    if isinstance(place, Grid):
        rows, columns = np.arange(place.ny), np.arange(place.nx)
        return _doubles(place.south + place.step_y * rows), _doubles(
            place.west + place.step_x * columns
        )
    number = np.arange(place.count)
    if place.area is None:
        # Spread evenly over the earth, like the seeds of a sunflower.
        lats = np.degrees(np.arcsin(1 - 2 * (number + 0.5) / place.count))
        return _doubles(lats), _doubles((number * _GOLDEN_ANGLE + 180) % 360 - 180)
    y, x = ((0.5 + number * each) % 1 for each in _EVENLY)
    area = place.area
    lats, lons = area.s + (area.n - area.s) * y, area.w + (area.e - area.w) * x
    # Neighbours are close to each other in the file, as in the real grids.
    order = np.lexsort((lons, np.floor(y * np.sqrt(place.count))))
    return _doubles(lats[order]), _doubles(lons[order])


def _doubles(values: NDArray[np.floating]) -> Doubles:
    return np.asarray(values, np.float64)
