from typing import Literal

import msgspec

from quartet.wind.gear.types import GearItem
from quartet.wind.observations.types import Source
from quartet.wind.spots.types import Favorite

# No model covers the spot, or only a run that is too old.
OutlookNotice = Literal["no_forecast", "outdated"]


class Wanted(msgspec.Struct, frozen=True, rename="camel", omit_defaults=True):
    """The wanted wind in knots, and where the limits come from."""

    by: Literal["alarm", "gear", "default"]
    wind_min: float
    wind_max: float | None = None


class MeasuredNow(msgspec.Struct, frozen=True, rename="camel", omit_defaults=True):
    """The latest measurement of the station near the spot, `age` seconds ago."""

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
    """Consecutive daylight hours with good wind; `rig` is the gear that fits, best first.

    `chance` is the probability in percent of at least the wanted wind, the mean of all hours.
    """

    start: int
    end: int
    model: str
    wind_mean: float
    wind_max: float
    gust_max: float | None
    direction: int | None
    rig: list[GearItem]
    chance: int | None = None


class Strip(msgspec.Struct, frozen=True):
    """Hourly values of the next two days; `light`: daylight, `good`: part of a window."""

    times: list[int]
    wind: list[float]
    gust: list[float | None]
    direction: list[int]
    light: list[bool]
    good: list[bool]


class SessionDay(msgspec.Struct, frozen=True, rename="camel", omit_defaults=True):
    """The hours of a day in daylight or in a window.

    `start` is midnight at the spot. `good`: part of a window; `fits`: from a direction of the spot.
    `score` is how many hours in windows are to be expected, `suitable` how many with wanted wind
    from such a direction, also beyond the days that an alert looks at. `rig` is the gear for the
    window or, without one, for the mean wind; `wave_max` are the highest waves in metres.
    """

    start: int
    times: list[int]
    wind: list[float]
    gust: list[float | None]
    direction: list[int]
    good: list[bool]
    fits: list[bool]
    score: float
    suitable: float
    rig: list[GearItem]
    wave_max: float | None = None


class SpotOutlook(msgspec.Struct, frozen=True, omit_defaults=True):
    """`model` and `run` apply to the next hours; later hours may come from another model.

    `now` is null if no station nearby has reported recently.
    """

    favorite: Favorite
    wanted: Wanted
    now: MeasuredNow | None
    windows: list[GoodWindow]
    model: str | None = None
    run: int | None = None
    hours: Strip | None = None
    # The next ten days.
    days: list[SessionDay] = []
    notice: OutlookNotice | None = None


class Outlook(msgspec.Struct, frozen=True):
    """Your spots in their order; `time` is when the outlook was computed."""

    time: int
    spots: list[SpotOutlook]
