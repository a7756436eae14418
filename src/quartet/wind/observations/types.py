from typing import Literal

import msgspec

from quartet.kernel.errors import Problem
from quartet.wind.stations.types import Station

Source = Literal["metar", "poi", "ten_minutes", "demo"]
Change = Literal["base", "from", "becoming", "temporary", "probable"]


class WindReading(msgspec.Struct, frozen=True):
    """Knots and degrees the wind comes from; no direction if it is calm or variable."""

    wind: float
    gust: float | None
    direction: int | None
    variable: bool


class Measurement(msgspec.Struct, frozen=True, omit_defaults=True):
    """`variable`: the wind had no definite direction."""

    time: int
    wind: float
    direction: int | None
    source: Source
    gust: float | None = None
    variable: bool = False


class Span(msgspec.Struct, frozen=True, omit_defaults=True, rename={"start": "from", "end": "to"}):
    """A gradual change is complete at `settled`; `probability` in percent."""

    start: int
    end: int
    change: Change
    wind: float
    direction: int | None
    gust: float | None = None
    variable: bool = False
    probability: int | None = None
    settled: int | None = None


class Taf(msgspec.Struct, frozen=True, rename="camel"):
    raw: str
    issued: int
    valid_from: int
    valid_to: int
    spans: list[Span]


class Live(msgspec.Struct, frozen=True):
    """`recent` are the measurements of the last day, oldest first."""

    station: Station
    latest: Measurement | None
    recent: list[Measurement]
    taf: Taf | None


class History(msgspec.Struct, frozen=True, rename={"start": "from", "end": "to"}):
    start: int
    end: int
    times: list[int]
    wind: list[float]
    gust: list[float | None]
    direction: list[int | None]


class Pin(msgspec.Struct, frozen=True):
    """A station with its latest measured wind, for the map."""

    slug: str
    name: str
    lat: float
    lon: float
    latest: Measurement


class MeasurementSourceState(msgspec.Struct):
    """State of a source; `count` and `error` are from the last attempt."""

    name: str
    last_try: float | None = None
    last_success: float | None = None
    count: int = 0
    error: Problem | None = None
