"""Temperature, precipitation, clouds and pressure of the demo, which go with its wind."""

from typing import NamedTuple

import numpy as np

from quartet.wind.demo.errors import ERRORS
from quartet.wind.demo.weather import DAY, Addition, at_points, low_depths, on_map
from quartet.wind.grid.arrays import Doubles

# Rain bands move to the east: waves around the world, hours between two of them.
_BANDS = 7
_BAND_SECONDS = 38 * 3600.0
# It rains while the cosine of the phase of a band is above this.
_DRY = 0.62
_RAIN_MM_PER_HOUR = 9.0


class Sky(NamedTuple):
    """Kelvin, millimetres since the start of the run, percent and Pascal."""

    temperature: Doubles
    precipitation: Doubles
    cloud: Doubles
    pressure: Doubles


def sky_map(model: str, run: int, lats: Doubles, lons: Doubles, time: float) -> Sky:
    """Return the forecast of a run for a time, on rows and columns."""
    return _sky(model, run, lats, lons, time, on_map)


def sky_at(model: str, run: int, lats: Doubles, lons: Doubles, time: float) -> Sky:
    """Return the forecast of a run for a time, at single places."""
    return _sky(model, run, lats, lons, time, at_points)


def _sky(model: str, run: int, lats: Doubles, lons: Doubles, time: float, add: Addition) -> Sky:
    error = ERRORS[model]
    late = time - error.late * 3600 * (time - run) / DAY
    up, along = (lats[:, None], lons[None, :]) if add is on_map else (lats, lons)
    phase = _phase(up, along, late)
    rain = _RAIN_MM_PER_HOUR * _BAND_SECONDS / 3600 / (2 * np.pi) * np.cos(np.radians(up))
    fallen = (_rained(phase) - _rained(_phase(up, along, run))) * rain * error.factor
    cloud = np.clip(52 + 64 * np.cos(phase), 0, 100)
    pressure = 101_600 - 160 * low_depths(lats, lons, late, add)
    temperature = _temperature(up, along, late) - 0.02 * cloud + 2 * (error.factor - 1)
    shape = pressure.shape
    return Sky(
        np.broadcast_to(temperature, shape),
        np.broadcast_to(np.maximum(fallen, 0), shape),
        np.broadcast_to(cloud, shape),
        pressure,
    )


def _phase(lats: Doubles, lons: Doubles, time: float) -> Doubles:
    turn = 2 * np.pi * (time % (_BANDS * _BAND_SECONDS * 1000)) / _BAND_SECONDS
    return np.asarray(turn - np.radians(lons) * _BANDS + np.radians(lats) * 5)


def _rained(phase: Doubles) -> Doubles:
    """Return the integral of the part of the cosine that is above the dry limit."""
    edge = np.arccos(_DRY)
    half = np.sin(edge) - _DRY * edge
    bands = np.rint(phase / (2 * np.pi))
    inside = np.clip(phase - 2 * np.pi * bands, -edge, edge)
    return np.asarray(2 * half * bands + np.sin(inside) - _DRY * inside + half)


def _temperature(lats: Doubles, lons: Doubles, time: float) -> Doubles:
    across = np.sin(np.radians(lats))
    summer = np.cos(2 * np.pi * (time / DAY % 365.25 - 200) / 365.25)
    afternoon = np.cos(2 * np.pi * (time / DAY + lons / 360 - 15 / 24))
    return np.asarray(302 - 32 * across**2 + 9 * across * summer + 2.8 * afternoon)
