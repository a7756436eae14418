from typing import Literal

import msgspec

from quartet.kernel.errors import Problem
from quartet.wind.stations.types import Station

Source = Literal["metar", "poi", "ten_minutes", "demo"]
Change = Literal["base", "from", "becoming", "temporary", "probable"]


class Wind(msgspec.Struct, frozen=True):
    """Knots and degrees from; no direction when it is calm or changes all the time."""

    wind: float
    gust: float | None
    direction: int | None
    variable: bool


class Measurement(msgspec.Struct, frozen=True, omit_defaults=True):
    """`variable` when the wind came from everywhere."""

    time: int
    wind: float
    direction: int | None
    source: Source
    gust: float | None = None
    variable: bool = False


class Span(msgspec.Struct, frozen=True, omit_defaults=True, rename={"start": "from", "end": "to"}):
    """A change that comes gradually has come wholly at `settled`; `probability` in percent."""

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
    """`recent` are the measurements of the last day, the oldest first."""

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


class SourceState(msgspec.Struct):
    """How fetching goes; `count` measurements came last time, `error` is of the last try."""

    name: str
    last_try: float | None = None
    last_success: float | None = None
    count: int = 0
    error: Problem | None = None
