"""The weather of the demo, a function of place and time only.

Lows travel around the world, trade winds and westerlies blow between them, and afternoons are
windier than nights. Each part is a product of a function of the longitude and one of the latitude,
so a whole map costs little more than its two edges.
"""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from quartet.wind.grid.arrays import Doubles

Addition = Callable[[Doubles, Doubles], Doubles]

DAY = 86400.0
_LOWS = 22
_WAVES = 10
_SEED = 20161


class Truth(NamedTuple):
    """Metres per second; u is the component to the east, v to the north."""

    u: Doubles
    v: Doubles
    gust: Doubles


class _Lows(NamedTuple):
    """Degrees, days and metres per second; one value for each low."""

    lat: Doubles
    lon: Doubles
    drift: Doubles
    sway: Doubles
    period: Doubles
    phase: Doubles
    size: Doubles
    speed: Doubles


class _Waves(NamedTuple):
    """Small moving waves that are added to the wind."""

    along: Doubles
    up: Doubles
    pace: Doubles
    phase_u: Doubles
    phase_v: Doubles


def _make_lows() -> _Lows:
    random = np.random.default_rng(_SEED)
    south = np.arange(_LOWS) % 3 == 2
    lat = random.uniform(42, 66, _LOWS)
    return _Lows(
        np.where(south, -lat, lat),
        np.linspace(0, 360, _LOWS, endpoint=False),
        random.uniform(7, 13, _LOWS),
        random.uniform(2, 5, _LOWS),
        random.uniform(3, 7, _LOWS),
        random.uniform(0, 2 * np.pi, _LOWS),
        random.uniform(4.5, 7.5, _LOWS),
        random.uniform(5, 11, _LOWS),
    )


def _make_waves() -> _Waves:
    random = np.random.default_rng(_SEED + 1)
    # Whole numbers of waves, so that there is no jump at the date line.
    return _Waves(
        random.integers(15, 60, _WAVES).astype(float),
        random.uniform(-45, 45, _WAVES),
        random.uniform(6, 24, _WAVES),
        random.uniform(0, 2 * np.pi, _WAVES),
        random.uniform(0, 2 * np.pi, _WAVES),
    )


_LOW_TRACKS = _make_lows()
_WAVE_TRACKS = _make_waves()
_WAVE_SPEED = 0.55


def on_map(along_lats: Doubles, along_lons: Doubles) -> Doubles:
    """Sum the products of all parts for every row and column."""
    return np.asarray(along_lats.T @ along_lons)


def at_points(along_lats: Doubles, along_lons: Doubles) -> Doubles:
    return np.asarray((along_lats * along_lons).sum(axis=0))


def truth_map(lats: Doubles, lons: Doubles, time: float) -> Truth:
    """Return the true wind on rows of these latitudes and columns of these longitudes."""
    return _truth(lats, lons, time, on_map)


def truth_at(lats: Doubles, lons: Doubles, time: float) -> Truth:
    """Return the true wind at single places."""
    return _truth(lats, lons, time, at_points)


def _truth(lats: Doubles, lons: Doubles, time: float, add: Addition) -> Truth:
    u, v = _lows(lats, lons, time, add)
    more_u, more_v = small_waves(lats, lons, time, add)
    belts = _belts(lats)
    afternoon = 1 + 0.22 * np.cos(2 * np.pi * (time / DAY + lons / 360 - 15 / 24))
    u = (u + more_u + (belts[:, None] if add is on_map else belts)) * afternoon
    v = (v + more_v) * afternoon
    speed = np.hypot(u, v)
    return Truth(u, v, speed * (1.22 + 0.12 * afternoon) + 0.8)


def _belts(lats: Doubles) -> Doubles:
    """Return trade winds near the equator and westerlies at higher latitudes."""
    belts = 5.5 * np.sin(np.radians(np.abs(lats) * 3 - 75)) * np.cos(np.radians(lats))
    return np.asarray(belts, np.float64)


class _Bells(NamedTuple):
    """Degrees from the centre of each low, and a bell curve along each of them."""

    up: Doubles
    across: Doubles
    bell_y: Doubles
    bell_x: Doubles
    # Metres per second, negative in the southern hemisphere.
    speed: Doubles


def _bells(lats: Doubles, lons: Doubles, time: float) -> _Bells:
    lows, days = _LOW_TRACKS, time / DAY
    turn = 2 * np.pi * days / lows.period + lows.phase
    lat = lows.lat + lows.sway * np.sin(turn)
    lon = lows.lon + lows.drift * days
    size = lows.size[:, None]
    up = lats[None, :] - lat[:, None]
    away = (lons[None, :] - lon[:, None] + 180) % 360 - 180
    across = away * np.cos(np.radians(lat))[:, None]
    # Counterclockwise around a low in the northern hemisphere, clockwise in the southern.
    speed = lows.speed * (0.75 + 0.25 * np.sin(turn * 0.7)) * np.sign(lat)
    bell_y, bell_x = (np.exp(-((each / size) ** 2) / 2) for each in (up, across))
    return _Bells(up, across, bell_y, bell_x, speed[:, None])


def _lows(lats: Doubles, lons: Doubles, time: float, add: Addition) -> tuple[Doubles, Doubles]:
    bells = _bells(lats, lons, time)
    along_y = bells.bell_y * bells.speed / _LOW_TRACKS.size[:, None] * np.exp(0.5)
    u = add(-bells.up * along_y, bells.bell_x)
    v = add(along_y, bells.across * bells.bell_x)
    return u, v


def low_depths(lats: Doubles, lons: Doubles, time: float, add: Addition) -> Doubles:
    """Return how deep the lows are, in metres per second of their wind."""
    bells = _bells(lats, lons, time)
    return add(bells.bell_y * np.abs(bells.speed), bells.bell_x)


def small_waves(
    lats: Doubles, lons: Doubles, time: float, add: Addition, shift: float = 0.0
) -> tuple[Doubles, Doubles]:
    """Return the small waves; `shift` selects another set of them."""
    waves, days = _WAVE_TRACKS, time / DAY
    x = np.radians(lons)[None, :] * waves.along[:, None]
    y = np.radians(lats)[None, :] * waves.up[:, None] - (waves.pace * days)[:, None]
    sides = []
    for phase in (waves.phase_u, waves.phase_v):
        turned = y + phase[:, None] + shift * (1 + np.arange(_WAVES))[:, None]
        sides.append(
            _WAVE_SPEED * (add(np.sin(turned), np.cos(x)) + add(np.cos(turned), np.sin(x)))
        )
    return sides[0], sides[1]
