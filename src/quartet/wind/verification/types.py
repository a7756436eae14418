from typing import Literal

import msgspec

from quartet.wind.ranking.types import BucketNotice
from quartet.wind.stations.types import Station

Days = Literal[30, 90, 365]
# The longest of them, and how long sums are stored.
MOST_DAYS = 365


class VerifiedModel(msgspec.Struct, frozen=True, rename="camel"):
    """Errors in knots; with `bias` > 0 too much wind was forecast.

    The CRPS of a model without a distribution is its mean absolute error. `best_mae` is the mean
    absolute error of Best in the same hours, since some models do not reach all of them.
    """

    model: str
    n: int
    mae: float
    bias: float
    rmse: float
    crps: float
    best_mae: float


class ReliabilityBin(msgspec.Struct, frozen=True):
    """Hours with a similar probability: its mean and how often it came true, in percent."""

    start: int
    n: int
    forecast: float
    measured: float


class Reliability(msgspec.Struct, frozen=True):
    """How often at least `wind` knots were measured when Best announced them."""

    wind: int
    bins: list[ReliabilityBin]


class VerifiedLeads(msgspec.Struct, frozen=True, omit_defaults=True):
    """Results for a range of lead times in hours: Best first, then the models by their error."""

    hours: tuple[int, int]
    n: int
    rows: list[VerifiedModel]
    reliability: list[Reliability]
    notice: BucketNotice | None = None


class Verification(
    msgspec.Struct, frozen=True, omit_defaults=True, rename={"start": "from", "end": "to"}
):
    """How forecasts as issued came true; without `station` at all stations.

    `days` were asked for, and `verified` of them have results.
    """

    start: int
    end: int
    days: int
    verified: int
    leads: list[VerifiedLeads]
    station: Station | None = None


class IssuedWind(msgspec.Struct, frozen=True):
    """Knots, and degrees the wind comes from."""

    wind: list[float | None]
    direction: list[int | None]


class IssuedBest(IssuedWind, frozen=True):
    p10: list[float | None]
    p50: list[float | None]
    p90: list[float | None]


class IssuedForecast(msgspec.Struct, frozen=True):
    """What was shown at the time `issued`, for every hour from then on."""

    issued: int
    best: IssuedBest
    models: dict[str, IssuedWind]


class ForecastArchive(
    msgspec.Struct, frozen=True, omit_defaults=True, rename={"start": "from", "end": "to"}
):
    """A page of forecasts, oldest first; `next` is the value of `from` for the page after it."""

    station: Station
    start: int
    end: int
    forecasts: list[IssuedForecast]
    next: int | None = None
