from typing import Literal

import msgspec

from quartet.wind.gear.types import GearItem
from quartet.wind.observations.types import Source
from quartet.wind.spots.types import Favorite

# No model says anything, or only a run that should have been followed by others long ago.
OutlookNotice = Literal["no_forecast", "outdated"]


class Wanted(msgspec.Struct, frozen=True, rename="camel", omit_defaults=True):
    """The wind that counts as good here, in knots, and who says so."""

    by: Literal["alarm", "gear", "default"]
    wind_min: float
    wind_max: float | None = None


class MeasuredNow(msgspec.Struct, frozen=True, rename="camel", omit_defaults=True):
    """What the station beside the spot measured last, `age` seconds ago."""

    station: str
    name: str
    distance_km: float
    time: int
    age: int
    wind: float
    direction: int | None
    source: Source
    gust: float | None = None
    variable: bool = False


class GoodWindow(
    msgspec.Struct,
    frozen=True,
    rename={
        "start": "from",
        "end": "to",
        "wind_mean": "windMean",
        "wind_max": "windMax",
        "gust_max": "gustMax",
    },
):
    """Hours in a row with good wind by daylight; `rig` are the pieces that fit, the best first."""

    start: int
    end: int
    model: str
    wind_mean: float
    wind_max: float
    gust_max: float | None
    direction: int | None
    rig: list[GearItem]


class Strip(msgspec.Struct, frozen=True):
    """The next two days at a glance; `light` is daylight, `good` what the windows are made of."""

    times: list[int]
    wind: list[float]
    gust: list[float | None]
    direction: list[int]
    light: list[bool]
    good: list[bool]


class SpotOutlook(msgspec.Struct, frozen=True, omit_defaults=True):
    """`model` and `run` are of the next hours; later ones may be of a model that reaches further.

    `now` is null where no station near by has measured lately.
    """

    favorite: Favorite
    wanted: Wanted
    now: MeasuredNow | None
    windows: list[GoodWindow]
    model: str | None = None
    run: int | None = None
    hours: Strip | None = None
    notice: OutlookNotice | None = None


class Outlook(msgspec.Struct, frozen=True):
    """Of all one's spots in their order, as of `time`."""

    time: int
    spots: list[SpotOutlook]
