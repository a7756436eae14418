from typing import Literal

import msgspec
from msgspec import UNSET, UnsetType

from quartet.wind.forecasts.types import UsedSurface

# Stands for the blend where a model is named.
BEST = "best"

# What Best is calibrated with: a station here, stations nearby, or nothing yet.
Basis = Literal["station", "neighbours", "models"]
# `unreliable`: its errors are larger than usual; `new`: there are too few samples.
WeightReason = Literal["accurate", "average", "inaccurate", "new"]


class ModelShare(msgspec.Struct, frozen=True, rename="camel", omit_defaults=True):
    """How much a model counts in the next day, in percent, and why.

    `bias` is its mean error here in knots before the correction, positive for too much wind;
    `error` is the error that remains after it.
    """

    model: str
    share: int
    reason: WeightReason
    hours: int
    bias: float | None = None
    error: float | None = None


class Calibrated(msgspec.Struct, frozen=True, rename="camel"):
    """A station that Best has learnt from, and how much it counts here, in percent."""

    slug: str
    name: str
    distance_km: float
    share: int


class BestForecast(msgspec.Struct, frozen=True, rename="camel"):
    """The calibrated blend of all models, every hour.

    Knots, degrees the wind comes from, Unix seconds. Of the measurements, 10 % are below `p10`,
    half of them below `p50` and 90 % below `p90`. `chance` is the probability in percent of at
    least as much wind as was asked for. `ensembles` are those whose members say how certain the
    hours of the next day are; without any, past errors say it.
    """

    lat: float
    lon: float
    # The start of the newest run that is part of it.
    run: int | None
    basis: Basis
    times: list[int]
    wind: list[float]
    gust: list[float | None]
    direction: list[int]
    p10: list[float]
    p50: list[float]
    p90: list[float]
    models: list[ModelShare]
    stations: list[Calibrated]
    chance: list[int] | UnsetType = UNSET
    surface: UsedSurface | UnsetType = UNSET
    ensembles: list[str] | UnsetType = UNSET
