"""Hourly wind and weather of many places, read from a run block by block to limit memory."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from quartet.wind.alerts.local_time import HOUR
from quartet.wind.grid.arrays import Doubles, Floats
from quartet.wind.grid.forecast import Forecast
from quartet.wind.grid.geometry import Corners, Grid
from quartet.wind.grid.land import LandMask
from quartet.wind.grid.layout import (
    CHANNELS,
    NO_DATA,
    PRECIPITATION_UNIT,
    SCALE,
    STEPS_PER_BLOCK,
    WIND_CHANNELS,
)
from quartet.wind.grid.reading import StoredRun
from quartet.wind.grid.spread import spread_of
from quartet.wind.places.water_spots import WaterSpots

# Do not interpolate between steps that are further apart.
_WIDEST_GAP = 6 * HOUR
_MILLIONTH = 1e-6
_TEMPERATURE, _PRECIPITATION = (CHANNELS.index(name) for name in ("temperature", "precipitation"))
# The channels that alerts need; the others need not be read.
_WIND = slice(len(WIND_CHANNELS) * STEPS_PER_BLOCK)
_WEATHER = slice((max(_TEMPERATURE, _PRECIPITATION) + 1) * STEPS_PER_BLOCK)
# A unit of the storage, which may be rounding, is half of a tenth of a millimetre.
_ROUNDING = 0.01

Ints = NDArray[np.int64]


class Hourly(NamedTuple):
    """Wind and gust in tenths of a knot, direction in degrees (360: none); one row per place.

    If they were read: `rain` in tenths of a millimetre from the beginning to the end of the hour,
    `temperature` in whole degrees Celsius, and the height of `waves` in tenths of a metre.
    """

    first: int
    wind: Floats
    gust: Floats
    degrees: Ints
    u: Floats
    v: Floats
    rain: Floats | None = None
    temperature: Floats | None = None
    waves: Floats | None = None
    # The probability in percent of the wind that the alert of the row wants, by Best.
    chance: Floats | None = None

    @property
    def end(self) -> int:
        return self.first + HOUR * int(self.wind.shape[1])


class StepsAround(NamedTuple):
    """The steps before and after each of several times, and how much the later one counts."""

    before: Ints
    after: Ints
    share: Floats
    # Times before the first step, and those in a gap that is too wide.
    unknown: NDArray[np.bool_]


class PlaceCorners(NamedTuple):
    """The result of `Grid.corners` for many places; places outside have no weights."""

    points: Ints
    weights: Floats
    inside: NDArray[np.bool_]


def hourly(first: int, u: Floats, v: Floats, gust: Floats) -> Hourly:
    """Convert components in knots."""
    speed = np.hypot(u, v)
    wind = np.rint(speed * 10)
    degrees = np.rint(np.degrees(np.arctan2(u, v)) + 180) % 360
    whole = np.where(np.isnan(degrees), 360, degrees).astype(np.int64)
    return Hourly(first, wind, np.rint(np.maximum(gust, speed) * 10), whole, u, v)


def read_hourly(
    run: StoredRun,
    lats: Doubles,
    lons: Doubles,
    first: int,
    hours: int,
    *,
    with_weather: bool = False,
) -> Hourly:
    """Read `hours` hours, fewer if the run ends earlier; NaN outside the model's area."""
    with_weather = with_weather and run.header.channels == CHANNELS
    times = np.array(run.times, np.int64)
    # One more than asked for: the rain of an hour is known at its end.
    wanted = first + HOUR * np.arange(hours + with_weather, dtype=np.int64)
    wanted = wanted[wanted <= times[-1]]
    count = min(hours, len(wanted))
    if not count:
        nothing = np.empty((len(lats), 0), np.float32)
        return hourly(first, nothing, nothing, nothing)
    channels = _WEATHER if with_weather else _WIND
    rows = _at_times(run, corners_in(run, lats, lons), times, wanted, channels)
    found = hourly(first, *rows[: len(WIND_CHANNELS), :, :count])
    if not with_weather:
        return found
    rain = np.full(found.wind.shape, np.nan, np.float32)
    amounts = np.diff(rows[_PRECIPITATION]) * (10 * PRECIPITATION_UNIT)
    rain[:, : amounts.shape[1]] = np.rint(amounts - _ROUNDING)
    return found._replace(rain=rain, temperature=np.rint(rows[_TEMPERATURE, :, :count]))


def _at_times(
    run: StoredRun, corners: PlaceCorners, times: Ints, wanted: Ints, channels: slice
) -> Floats:
    """Interpolate between the steps; shaped (channels, places, times)."""
    before, after, share, unknown = between(times, wanted)
    steps = _steps(run, corners, int(before[0]), int(after[-1]), channels)
    begun = before[0] // STEPS_PER_BLOCK * STEPS_PER_BLOCK
    low, high = steps[:, :, before - begun], steps[:, :, after - begun]
    rows = low + (high - low) * share
    rows[:, :, unknown] = np.nan
    rows[:, ~corners.inside] = np.nan
    return np.asarray(rows, np.float32)


def extended(weather: Hourly, hours: int) -> Hourly:
    """Return the weather of `hours` hours; those after the end of the run are unknown."""
    missing = hours - weather.wind.shape[1]
    if missing <= 0:
        return weather

    def longer(rows: Floats) -> Floats:
        return np.pad(rows, ((0, 0), (0, missing)), constant_values=np.nan)

    return weather._replace(
        wind=longer(weather.wind),
        gust=longer(weather.gust),
        degrees=np.pad(weather.degrees, ((0, 0), (0, missing)), constant_values=360),
        u=longer(weather.u),
        v=longer(weather.v),
        rain=None if weather.rain is None else longer(weather.rain),
        temperature=None if weather.temperature is None else longer(weather.temperature),
    )


def read_spread(ensemble: Forecast, lats: Doubles, lons: Doubles, first: int, hours: int) -> Floats:
    """Return the spread of an ensemble in knots, shaped (places, hours); NaN for none."""
    found: Floats = np.full((len(lats), hours), np.nan, np.float32)
    done = first
    for part in ensemble.parts:
        times = np.array(part.run.times, np.int64)
        wanted = np.arange(done, min(first + HOUR * hours, int(times[-1]) + 1), HOUR)
        if len(wanted):
            corners = corners_in(part.run, lats, lons)
            rows = spread_of(_at_times(part.run, corners, times, wanted, slice(None)))
            begun = (done - first) // HOUR
            found[:, begun : begun + len(wanted)] = rows
            done = int(wanted[-1]) + HOUR
    return found


def between(times: Ints, wanted: Ints) -> StepsAround:
    before = np.clip(np.searchsorted(times, wanted, "right") - 1, 0, None)
    after = np.where(times[before] == wanted, before, np.minimum(before + 1, len(times) - 1))
    gap = np.maximum(times[after] - times[before], 1)
    share = ((wanted - times[before]) / gap).astype(np.float32)
    return StepsAround(before, after, share, (gap > _WIDEST_GAP) | (wanted < times[0]))


def read_forecast(
    forecast: Forecast,
    lats: Doubles,
    lons: Doubles,
    first: int,
    hours: int,
    *,
    with_weather: bool = False,
) -> Hourly:
    """Read `hours` hours; those beyond the newest run come from older runs that reach further."""
    found = read_hourly(forecast.newest, lats, lons, first, hours, with_weather=with_weather)
    for part in forecast.parts[1:]:
        missing = hours - found.wind.shape[1]
        more = read_hourly(part.run, lats, lons, found.end, missing, with_weather=with_weather)
        if found.rain is not None and found.rain.shape[1]:
            # The newer run does not reach the end of its last hour.
            last = read_hourly(part.run, lats, lons, found.end - HOUR, 1, with_weather=True)
            found.rain[:, -1:] = np.nan if last.rain is None else last.rain
        found = _joined(found, more)
    return found


def _joined(one: Hourly, other: Hourly) -> Hourly:
    return Hourly(
        one.first,
        np.concatenate((one.wind, other.wind), axis=1),
        np.concatenate((one.gust, other.gust), axis=1),
        np.concatenate((one.degrees, other.degrees), axis=1),
        np.concatenate((one.u, other.u), axis=1),
        np.concatenate((one.v, other.v), axis=1),
        _joined_weather(one, one.rain, other, other.rain),
        _joined_weather(one, one.temperature, other, other.temperature),
    )


def _joined_weather(
    one: Hourly, mine: Floats | None, other: Hourly, others: Floats | None
) -> Floats | None:
    """Join the values of a field that one of the runs may not have."""
    if mine is None and others is None:
        return None
    rows = (
        np.full(hours.wind.shape, np.nan, np.float32) if values is None else values
        for hours, values in ((one, mine), (other, others))
    )
    return np.concatenate(tuple(rows), axis=1)


def _steps(run: StoredRun, corners: PlaceCorners, first: int, last: int, channels: slice) -> Floats:
    """Return channels in their units of whole blocks, shaped (channels, places, steps)."""
    blocks = range(first // STEPS_PER_BLOCK, last // STEPS_PER_BLOCK + 1)
    parts = [_block(run, corners, block, channels) for block in blocks]
    rows = np.concatenate(parts, axis=2)
    return np.asarray(rows.transpose(1, 0, 2), np.float32)


def _block(run: StoredRun, corners: PlaceCorners, block: int, channels: slice) -> Floats:
    mapped = run.block(block)
    numbers = np.asarray(mapped[corners.points.ravel(), channels])
    numbers = numbers.reshape(*corners.points.shape, -1)
    floats = numbers.astype(np.float32)
    if int(numbers.min()) == NO_DATA:
        floats[numbers == NO_DATA] = np.nan
    mixed = np.einsum("ap,apk->ak", corners.weights * np.float32(SCALE), floats)
    return np.asarray(mixed.reshape(len(mixed), -1, STEPS_PER_BLOCK), np.float32)


def corners_in(run: StoredRun, lats: Doubles, lons: Doubles) -> PlaceCorners:
    if run.mesh is None:
        found = corners_of(run.header.grid, lats, lons)
    else:
        found = PlaceCorners(*run.mesh.corners_of(lats, lons))
    if run.land is not None:
        _move_spots_to_sea(run.land, run.water_spots, found, lats, lons)
    return found


def _move_spots_to_sea(
    land: LandMask, spots: WaterSpots, corners: PlaceCorners, lats: Doubles, lons: Doubles
) -> None:
    """Weigh only points at sea for known spots on the water, as their pages do."""
    for number, place in enumerate(zip(lats.tolist(), lons.tolist(), strict=True)):
        if corners.inside[number] and spots.surface_of(*place):
            a, b, c, d = corners.points[number].tolist()
            wa, wb, wc, wd = corners.weights[number].tolist()
            points, weights = land.restrict(Corners((a, b, c, d), (wa, wb, wc, wd)), "sea")
            corners.points[number], corners.weights[number] = points, weights


def corners_of(grid: Grid, lats: Doubles, lons: Doubles) -> PlaceCorners:
    last_x = grid.nx if grid.wraps else grid.nx - 1
    east = (lons - grid.west) % 360
    x, in_x = _inside(np.where(360 - east < _MILLIONTH, 0, east / grid.step_x), last_x)
    y, in_y = _inside((lats - grid.south) / grid.step_y, grid.ny - 1)
    left, bottom = x.astype(np.int64), y.astype(np.int64)
    across, up = x - left, y - bottom
    left %= grid.nx
    # Do not read a neighbour with zero weight: it may be missing or outside the grid.
    right = np.where(across > 0, (left + 1) % grid.nx, left)
    low = bottom * grid.nx
    high = np.where(up > 0, low + grid.nx, low)
    points = np.stack((low + left, low + right, high + left, high + right), axis=1)
    weights = np.stack(
        ((1 - across) * (1 - up), across * (1 - up), (1 - across) * up, across * up), axis=1
    )
    return PlaceCorners(points, weights.astype(np.float32), in_x & in_y)


def _inside(position: Doubles, last: int) -> tuple[Doubles, NDArray[np.bool_]]:
    """Snap positions to a grid point within rounding error, like `Grid` does."""
    inside = (position >= -_MILLIONTH) & (position <= last + _MILLIONTH)
    nearest = np.rint(position)
    snapped = np.where(np.abs(position - nearest) < _MILLIONTH, nearest, position)
    return np.where(inside, snapped, 0), inside
