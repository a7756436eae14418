"""The waves of the demo, which go with its wind; there are none on land."""

from typing import NamedTuple

import numpy as np

from quartet.wind.demo.land import is_sea
from quartet.wind.demo.weather import Truth
from quartet.wind.grid.arrays import Doubles
from quartet.wind.grid.geometry import Grid
from quartet.wind.settings import DemoSize

# The model whose wind makes the waves.
WIND_OF = {"ecmwf-wave": "ecmwf", "gfs-wave": "gfs"}
_STEPS = {"full": 0.25, "small": 0.5, "tiny": 2.5}


class Waves(NamedTuple):
    """Metres, seconds and degrees the waves come from."""

    height: Doubles
    period: Doubles
    direction: Doubles
    swell_height: Doubles
    swell_period: Doubles
    swell_direction: Doubles


def wave_grid(size: DemoSize) -> Grid:
    return Grid.world(_STEPS[size])


def waves_of(wind: Truth, grid: Grid) -> Waves:
    """Return the waves that a wind makes, and a swell from the west."""
    speed = np.hypot(wind.u, wind.v)
    lats = np.radians(grid.south + grid.step_y * np.arange(grid.ny))[:, None]
    swell = np.broadcast_to(0.3 + 1.2 * np.sin(lats) ** 2, speed.shape)
    own = 0.012 * speed**2
    height = np.hypot(own, swell)
    direction = (np.degrees(np.arctan2(wind.u, wind.v)) + 180) % 360
    period = 3 + 2.4 * np.sqrt(height)
    fields = Waves(
        height,
        period,
        np.where(own > swell, direction, 280.0),
        swell,
        np.full_like(speed, 11.0),
        np.full_like(speed, 280.0),
    )
    return Waves(*(np.where(is_sea(grid), field, np.nan) for field in fields))
