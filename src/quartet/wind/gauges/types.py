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


class LevelSeries(msgspec.Struct, frozen=True):
    times: list[int]
    level: list[float]


class Tide(msgspec.Struct, frozen=True):
    """A predicted high or low water, in the unit of the gauge."""

    time: int
    kind: Literal["high", "low"]
    level: float


class NearGauge(Gauge, frozen=True, rename={"distance_km": "distanceKm"}, kw_only=True):
    """A gauge with its last seven days.

    `tides` are predicted for the next seven days, without the influence of wind, if the gauge is
    tidal and the last month is known.
    """

    distance_km: float
    series: LevelSeries
    tides: list[Tide] | msgspec.UnsetType = msgspec.UNSET
    notice: GaugeNotice | msgspec.UnsetType = msgspec.UNSET


class Near(msgspec.Struct, frozen=True):
    """`gauge` is null without a gauge within 15 km."""

    gauge: NearGauge | None


class NearTides(msgspec.Struct, frozen=True, rename={"distance_km": "distanceKm"}):
    """Tides of the next seven days at a gauge; levels in `unit`."""

    gauge: str
    distance_km: float
    unit: str
    tides: list[Tide]
