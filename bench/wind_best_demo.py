"""Best on the weather of the demo, whose truth is known."""

from typing import NamedTuple

import msgspec
import numpy as np

from bench.report import Result
from quartet.wind.blend.learning import blend, derive, learn
from quartet.wind.blend.pairs import Pairs
from quartet.wind.blend.state import State
from quartet.wind.demo.errors import ERRORS
from quartet.wind.demo.measurements import StationPoints, demo_spots, measured
from quartet.wind.demo.past_forecasts import rows_of_run
from quartet.wind.demo.weather import truth_at
from quartet.wind.grid.arrays import Floats
from quartet.wind.models.catalogue import MODELS
from quartet.wind.observations.cdc import KNOTS
from quartet.wind.stations.airports import airports

HOUR, DAY = 3600, 86400
FIRST = 1_790_000_000 // DAY * DAY
DAYS, STATIONS = 28, 24
# Few samples: what Best has learnt after these numbers of days, tested on the following days. The
# last days are held back, because the service also learns a day only after it was forecast.
FEW_DAYS, TRIED_DAYS, HELD_DAYS = (1, 2, 3, 5, 7), 10, 10
SKILL_BAR, FEW_BAR = 0.90, 1.02
# A model that has fewer of the hours of a lead class is not compared: it lacks the late ones.
LASTING = 0.9


class Errors(NamedTuple):
    """Absolute errors (hour, station, lead class), of the models with a last axis more."""

    best: Floats
    models: Floats


class Demo:
    """Hours of the demo, with the true wind of each."""

    def __init__(self, spots: StationPoints) -> None:
        stations, self.models = [each.id for each in spots.stations], list(ERRORS)
        runs = range(FIRST, FIRST + DAYS * DAY, DAY // 2)
        rows = [row for run in runs for row in rows_of_run(MODELS, run, spots)]
        pairs = Pairs(stations, self.models, rows)
        times = range(FIRST, FIRST + DAYS * DAY, HOUR)
        self.hours = [pairs.hour(time, _measured(spots, time)) for time in times]
        self.truth = [_true(spots, time) for time in times]
        self.stations = len(stations)

    def follow(self, state: State, first: int, last: int, *, learning: bool = True) -> Errors:
        """Predict every hour, then learn it."""
        best, models = [], []
        for number in range(first * 24, last * 24):
            if number % 6 == 0:
                learnt = derive(state)
            hour, truth = self.hours[number], self.truth[number][:, None]
            best.append(np.abs(blend(hour, learnt).wind - truth))
            models.append(np.abs(hour.forecasts - truth[..., None]))
            if learning:
                learn(state, hour, learnt)
        return Errors(np.array(best, np.float32), np.array(models, np.float32))


def run() -> list[Result]:
    demo = Demo(spots_of_all_models())
    state = State(demo.stations, len(demo.models))
    few, first = [], 0
    for days in FEW_DAYS:
        demo.follow(state, first, days)
        trial, first = State(demo.stations, len(demo.models), state.numbers.copy()), days
        few.append(ratio(demo.follow(trial, days, days + TRIED_DAYS, learning=False)))
        print(f"demo weather, after {days} days: {few[-1]:.3f}")
    demo.follow(state, first, DAYS - HELD_DAYS)
    held = ratio(demo.follow(state, DAYS - HELD_DAYS, DAYS))
    return [
        Result("Best on demo weather, held-back days", held, SKILL_BAR, "x"),
        Result("the same with few samples, worst", max(few), FEW_BAR, "x"),
    ]


def spots_of_all_models() -> StationPoints:
    known = [msgspec.structs.replace(each, id=n + 1) for n, each in enumerate(airports())]
    found = demo_spots(known)
    here = [
        number
        for number, station in enumerate(found.stations)
        if 48 < station.lat < 54.5 and 5 < station.lon < 14
    ][:STATIONS]
    return StationPoints(
        [found.stations[each] for each in here], found.lats[here], found.lons[here]
    )


def _measured(spots: StationPoints, time: int) -> Floats:
    return np.array([each.wind for _, each in measured(spots, time)], np.float32)


def _true(spots: StationPoints, time: int) -> Floats:
    truth = truth_at(spots.lats, spots.lons, time)
    return np.asarray(np.hypot(truth.u, truth.v) * KNOTS, np.float32)


def ratio(errors: Errors) -> float:
    """Compare with the model that is best in hindsight at each station and lead time."""
    known = ~np.isnan(errors.models)
    counts = known.sum(axis=(0, 1))
    lasting = counts >= LASTING * counts.max(axis=1, keepdims=True)
    means = np.nansum(errors.models, axis=0) / np.maximum(known.sum(axis=0), 1)
    best = np.where(lasting, means, np.inf).min(axis=2)
    return float(np.nanmean(errors.best, axis=0).mean() / best.mean())
