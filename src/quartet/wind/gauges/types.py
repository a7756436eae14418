from typing import Literal

import msgspec

State = Literal["low", "normal", "high", "unknown"]
GaugeNotice = Literal["outdated", "series_missing"]


class Gauge(msgspec.Struct, frozen=True):
    """`level` in `unit`: centimetres, or metres above a datum such as m+NN.

    The state is unknown for tidal gauges, where low and high have no meaning.
    """

    id: str
    name: str
    water: str
    lat: float
    lon: float
    unit: str
    level: float | None
    time: int | None
    state: State
    tidal: bool


class Series(msgspec.Struct, frozen=True):
    times: list[int]
    level: list[float]


class NearGauge(Gauge, frozen=True, rename={"distance_km": "distanceKm"}, kw_only=True):
    """A gauge with its last seven days."""

    distance_km: float
    series: Series
    notice: GaugeNotice | msgspec.UnsetType = msgspec.UNSET


class Near(msgspec.Struct, frozen=True):
    """`gauge` is null without a gauge within 15 km."""

    gauge: NearGauge | None
