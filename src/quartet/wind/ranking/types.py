from typing import Literal

import msgspec

from quartet.wind.stations.types import Station

# Hours ahead.
BUCKETS = ((0, 24), (24, 48), (48, 72))
BucketNotice = Literal["few_samples"]


class Score(msgspec.Struct, frozen=True, rename="camel", omit_defaults=True):
    """Knots and degrees by which a model was off; it blew less than expected if `bias_wind` > 0."""

    model: str
    mae_wind: float
    bias_wind: float
    rmse_wind: float
    n: int
    mae_direction: float | None = None


class Bucket(msgspec.Struct, frozen=True, omit_defaults=True):
    """So many hours ahead; the best model first, and none while there are too few samples."""

    hours: tuple[int, int]
    n: int
    rows: list[Score]
    notice: BucketNotice | None = None


class Ranking(msgspec.Struct, frozen=True, rename={"start": "from", "end": "to"}):
    """Which model was right here between two times."""

    start: int
    end: int
    buckets: list[Bucket]


class Nearest(msgspec.Struct, frozen=True, rename="camel"):
    station: Station
    distance_km: float
    ranking: Ranking
