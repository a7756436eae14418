"""What the blend has learnt about stations: sums that forget, in one row of numbers per station."""

from collections.abc import Sequence
from math import prod

import numpy as np

from quartet.wind.grid.arrays import Doubles, Floats

_HOUR = 3600
# Increased when the meaning of a stored row changes; rows of other versions are learned again.
VERSION = 3
# Hours of lead time at which each class of lead times ends. Runs are stored every twelve hours, so
# that every hour has at most one forecast of each class.
LEAD_ENDS = (3, 6, 12, 18, 24, 30, 36, 48, 60, 72)
LEADS = len(LEAD_ENDS)
SECTORS = 8
DAY_PARTS = 8
# Wind speeds at which the remaining error is learnt.
LEVELS = 6
# Classes of wind speed, in which the errors differ in size.
WIND_CLASSES = 3
PIT_BINS = 20
# As many as there are in the catalogue of models.
ENSEMBLES = 4

# The parts that do not depend on the models.
_OF_STATION = (
    "mixture",
    "sectors",
    "day_parts",
    "common",
    "spread",
    "classes",
    "pit",
    "sensor",
    "ensembles",
    "levels",
)


def lead_class(hours: Doubles) -> "np.ndarray[tuple[int, ...], np.dtype[np.intp]]":
    return np.clip(np.searchsorted(np.array(LEAD_ENDS), hours), 0, LEADS - 1)


def sector_of(direction: Floats) -> "np.ndarray[tuple[int, ...], np.dtype[np.intp]]":
    """Return the sector of directions in degrees; that of north for unknown ones."""
    return np.asarray(np.rint(np.nan_to_num(direction) / (360 / SECTORS)).astype(np.intp) % SECTORS)


def day_part(time: int) -> int:
    return time // _HOUR % 24 * DAY_PARTS // 24


class State:
    """Learnt sums of several stations; each part is a view, its first axis is the station.

    calibration: count, forecast, measurement, forecast squared, forecast times measurement
    errors:      count and squares of the errors of the calibrated models
    mixture:     like `calibration`, of the weighted mean of the calibrated models
    products:    products of the standardised errors of two models, of all lead times
    counts:      how many products there are
    recent:      count and sum of how far a model has left the others, of the last day
    sectors, day_parts: count and sum of the remaining error
    common:      count and sum of the remaining error of the last days
    spread:      count and absolute errors of the blend
    classes:     count and absolute standardised errors of the blend, by wind speed
    pit:         how often a measurement fell in each part of the predicted distribution
    sensor:      the last measurement, and how many times it was repeated
    levels:      count and sum of the remaining error, by wind speed
    ensembles:   count, squared spread as a ratio to past errors, squared standardised error,
                 ratio squared, ratio times error
    network:     count and sum of the skill of the models at other stations
    """

    def __init__(self, stations: int, models: int, numbers: Floats | None = None) -> None:
        shapes: dict[str, tuple[int, ...]] = {
            "calibration": (5, LEADS, models),
            "errors": (2, LEADS, models),
            "mixture": (5, LEADS, 1),
            "products": (models, models),
            "counts": (models, models),
            "recent": (2, models),
            "sectors": (2, SECTORS),
            "day_parts": (2, DAY_PARTS),
            "common": (2,),
            "spread": (2, LEADS),
            "classes": (2, WIND_CLASSES),
            "pit": (PIT_BINS,),
            "sensor": (2,),
            "levels": (2, LEVELS),
            "ensembles": (5, ENSEMBLES),
            "network": (2, models),
        }
        size = sum(prod(shape) for shape in shapes.values())
        self.stations, self.models = stations, models
        self.numbers: Floats = (
            np.zeros((stations, size), np.float32) if numbers is None else numbers
        )
        views: dict[str, Floats] = {}
        start = 0
        for name, shape in shapes.items():
            end = start + prod(shape)
            views[name] = self.numbers[:, start:end].reshape(stations, *shape)
            start = end
        self.calibration, self.errors = views["calibration"], views["errors"]
        self.mixture = views["mixture"]
        self.products, self.counts = views["products"], views["counts"]
        self.recent, self.common = views["recent"], views["common"]
        self.sectors, self.day_parts = views["sectors"], views["day_parts"]
        self.spread, self.classes = views["spread"], views["classes"]
        self.pit, self.sensor = views["pit"], views["sensor"]
        self.ensembles, self.network = views["ensembles"], views["network"]
        self.levels = views["levels"]


def row_of(stored: bytes, known: Sequence[str], models: Sequence[str]) -> Floats | None:
    """Return the numbers of a station for `models`, from those stored for `known` models."""
    old = State(1, len(known))
    # Rows of older releases end before the numbers of the network, or of ensembles.
    without_network = old.numbers.nbytes - old.network.nbytes
    if len(stored) not in (
        old.numbers.nbytes,
        without_network,
        without_network - old.ensembles.nbytes,
    ):
        return None
    old.numbers[:, : len(stored) // 4] = np.frombuffer(stored, "<f4")
    if list(known) == list(models):
        return np.asarray(old.numbers[0], np.float32)
    both = [model for model in models if model in known]
    here, there = [models.index(each) for each in both], [known.index(each) for each in both]
    new = State(1, len(models))
    for name in ("calibration", "errors", "recent", "network"):
        getattr(new, name)[..., here] = getattr(old, name)[..., there]
    for name in ("products", "counts"):
        pairs = getattr(old, name)[:, there][:, :, there]
        getattr(new, name)[np.ix_([0], here, here)] = pairs
    for name in _OF_STATION:
        getattr(new, name)[:] = getattr(old, name)
    return np.asarray(new.numbers[0], np.float32)
