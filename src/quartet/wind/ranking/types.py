from typing import Literal

import msgspec

from quartet.wind.stations.types import Station

# Hours of lead time.
# The first ends where runs of the shortest model end, ICON-D2-RUC with 14 hours.
BUCKETS = ((0, 12), (12, 24), (24, 48), (48, 72))
BucketNotice = Literal["few_samples"]


class Score(msgspec.Struct, frozen=True, rename="camel", omit_defaults=True):
    """Errors in knots and degrees; with `bias_wind` > 0 the model forecast too much wind."""

    model: str
    mae_wind: float
    bias_wind: float
    rmse_wind: float
    n: int
    mae_direction: float | None = None


class Bucket(msgspec.Struct, frozen=True, omit_defaults=True):
    """Scores for a range of lead times, best model first; empty if there are too few samples."""

    hours: tuple[int, int]
    n: int
    rows: list[Score]
    notice: BucketNotice | None = None


class Ranking(msgspec.Struct, frozen=True, rename={"start": "from", "end": "to"}):
    """Accuracy of the models at a station in a period."""

    start: int
    end: int
    buckets: list[Bucket]


class Nearest(msgspec.Struct, frozen=True, rename="camel"):
    station: Station
    distance_km: float
    ranking: Ranking
