from typing import Literal, NamedTuple

import msgspec

from quartet.wind.languages import Language
from quartet.wind.units import WindUnit

WidgetTheme = Literal["auto", "light", "dark"]


class WidgetHour(msgspec.Struct, frozen=True):
    """Knots, and degrees the wind comes from; 8 of 10 measurements are between p10 and p90."""

    time: int
    wind: float
    gust: float | None
    direction: int
    p10: float
    p90: float


class MeasuredWind(msgspec.Struct, frozen=True):
    time: int
    wind: float
    gust: float | None
    direction: int | None


class Widget(msgspec.Struct, frozen=True, omit_defaults=True):
    """Best at a place, for home automation: this hour on top, then the next two days.

    `measured` is the newest measurement of the station within the last two hours.
    """

    name: str
    lat: float
    lon: float
    time: int
    hours: list[WidgetHour]
    now: WidgetHour | None = None
    measured: MeasuredWind | None = None


class WidgetLook(NamedTuple):
    """How a widget is shown."""

    language: Language
    unit: WindUnit
    theme: WidgetTheme
