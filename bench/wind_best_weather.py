"""Generated stations, models and measurements with known errors."""

from typing import NamedTuple

import numpy as np

from quartet.wind.blend.learning import LessonHour
from quartet.wind.blend.state import ENSEMBLES, LEAD_ENDS, LEADS
from quartet.wind.grid.arrays import Floats

HOUR = 3600
MEMBERS = 20
# Members differ by so much of the real error.
_DISPERSION = (0.55, 0.7)
# The first ensemble does not reach further than two days.
_SHORT = 8
MODELS = 9
# Error of each model in knots at a lead time of a day, from the best to the worst.
_SKILL = np.array([1.7, 1.8, 1.9, 2.0, 2.1, 2.2, 2.4, 2.7, 3.2])


class World(NamedTuple):
    """Knots; forecasts are shaped (hour, station, lead class, model)."""

    forecasts: Floats
    # As reported, with noise, outliers, stuck sensors and outages.
    measured: Floats
    # What a working sensor would report.
    truth: Floats
    direction: Floats
    # Standard deviations of ensembles, shaped (hour, ensemble, station, lead class).
    spreads: Floats
    # The members of the second ensemble, shaped (hour, station, lead class, member).
    members: Floats

    @property
    def hours(self) -> int:
        return len(self.measured)

    def hour(self, number: int) -> LessonHour:
        return LessonHour(
            number * HOUR,
            self.forecasts[number],
            self.measured[number],
            self.direction[number],
            self.spreads[number],
        )


def generate(days: int, stations: int, seed: int, *, changes_at: int | None = None) -> World:
    """`changes_at` is the day on which two models change at all stations."""
    random = np.random.default_rng(seed)
    hours = days * 24
    weather = 10 + 5.5 * _smooth(random, (hours, stations), 20)
    time = np.arange(hours)[:, None]
    phase = random.uniform(0, 24, stations)
    weather = np.maximum(weather + 2 * np.cos(2 * np.pi * (time - phase) / 24), 0)
    turns = random.normal(0, 12, (hours, stations)).astype(np.float32)
    direction = np.cumsum(turns, axis=0) % 360
    truth = _local(random, weather, direction)
    # Some situations are less certain than others, which ensembles know.
    unsure = np.exp(0.4 * _smooth(random, (hours, stations), 30) - 0.08)
    forecasts = _forecasts(random, weather, unsure, changes_at)
    truth = np.maximum(truth + 0.6 * _smooth(random, truth.shape, 1.5), 0)
    measured = _faults(random, truth)
    spreads, members = _ensembles(random, weather, unsure, forecasts)
    return World(
        forecasts,
        measured,
        truth.astype(np.float32),
        direction.astype(np.float32),
        spreads,
        members,
    )


def _smooth(random: np.random.Generator, shape: tuple[int, ...], hours: float) -> Floats:
    """Return noise of variance 1 that changes within `hours`."""
    keep = np.exp(-1 / hours)
    noise = random.standard_normal(shape, np.float32)
    for now in range(1, shape[0]):
        noise[now] = keep * noise[now - 1] + np.sqrt(1 - keep**2) * noise[now]
    return noise


def _local(random: np.random.Generator, weather: Floats, direction: Floats) -> Floats:
    """Return the wind at the stations, which terrain weakens from some directions."""
    stations = weather.shape[1]
    exposed = random.uniform(0.75, 1.1, stations)
    sheltered = random.uniform(0, 360, stations)
    depth = random.uniform(0, 0.3, stations)
    away = np.abs((direction - sheltered + 180) % 360 - 180)
    return np.asarray(weather * exposed * (1 - depth * (away < 45)), np.float32)


def _ensembles(
    random: np.random.Generator, weather: Floats, unsure: Floats, forecasts: Floats
) -> tuple[Floats, Floats]:
    """Return the spread of two ensembles, and the members of the second one.

    They are centred on a model with its bias, and their members differ too little.
    """
    hours, stations = weather.shape
    found: Floats = np.full((hours, ENSEMBLES, stations, LEADS), np.nan, np.float32)
    size = (0.6 + 0.04 * weather) * unsure
    for number, dispersion in enumerate(_DISPERSION):
        for lead, end in enumerate(LEAD_ENDS):
            grown = 2.0 * np.sqrt(0.35 + 0.65 * end / 24)
            # So few members do not find their own spread exactly.
            chance = np.sqrt(random.chisquare(MEMBERS - 1, size.shape) / (MEMBERS - 1))
            found[:, number, :, lead] = dispersion * size * grown * chance
    found[:, 0, :, _SHORT:] = np.nan
    noise = random.standard_normal((hours, stations, LEADS, MEMBERS), np.float32)
    members = forecasts[..., 3:4] + found[:, 1, ..., None] * noise
    return found, np.asarray(np.maximum(members, 0), np.float32)


def _forecasts(
    random: np.random.Generator, weather: Floats, unsure: Floats, changes_at: int | None
) -> Floats:
    hours, stations = weather.shape
    made = np.full((hours, stations, LEADS, MODELS), np.nan, np.float32)
    bias = random.normal(0, 0.8, (stations, MODELS)) + random.normal(0, 0.8, (stations, 1))
    slope = 1 + random.normal(0, 0.08, (stations, MODELS))
    common = _smooth(random, (hours, stations, LEADS), 8)
    # Errors of neighbouring lead times are alike.
    shared = _smooth(random, (hours, stations), 8)[..., None]
    size = (0.6 + 0.04 * weather) * unsure
    starts = (0, *LEAD_ENDS[:-1])
    now = np.arange(hours)
    for model in range(MODELS):
        own = _smooth(random, (hours, stations, LEADS), 8)
        own_shared = _smooth(random, (hours, stations), 8)[..., None]
        error = np.sqrt(0.4) * (0.8 * shared + 0.6 * common) + np.sqrt(0.6) * (
            0.8 * own_shared + 0.6 * own
        )
        for number, (start, end) in enumerate(zip(starts, LEAD_ENDS, strict=True)):
            lead = start + 1 + (now - start - 1) % 12
            grown = _SKILL[model] * np.sqrt(0.35 + 0.65 * lead / 24)
            told = weather * slope[:, model] + bias[:, model]
            told = told + error[:, :, number] * grown[:, None] * size
            told[lead > end] = np.nan
            made[:, :, number, model] = np.maximum(told, 0)
        # A model is missing for a day now and then.
        for first in np.flatnonzero(random.random(hours) < 1 / (24 * 20)):
            made[first : first + 24, :, :, model] = np.nan
    # The finest models do not reach further than two days.
    made[:, :, 8:, :2] = np.nan
    if changes_at is not None:
        made[changes_at * 24 :, :, :, 0] += 3.5
        made[changes_at * 24 :, :, :, 3] *= 0.7
    return made


def _faults(random: np.random.Generator, truth: Floats) -> Floats:
    hours, stations = truth.shape
    measured = np.round(truth + random.normal(0, 0.3, truth.shape), 1)
    wild = random.random(truth.shape) < 0.005
    measured[wild] = random.uniform(0, 90, wild.sum())
    for station in range(stations):
        for first in np.flatnonzero(random.random(hours) < 1 / (24 * 25)):
            measured[first : first + int(random.integers(12, 72)), station] = np.nan
        if station % 4 == 0:
            for first in np.flatnonzero(random.random(hours) < 1 / (24 * 20)):
                length = int(random.integers(12, 72))
                value = 0.0 if random.random() < 0.5 else measured[first, station]
                measured[first : first + length, station] = value
    return np.asarray(np.maximum(measured, 0), np.float32)
