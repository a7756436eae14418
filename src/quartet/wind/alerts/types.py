from collections.abc import Sequence
from typing import Annotated, Literal, NamedTuple

import msgspec
from msgspec import Meta

from quartet.kernel.errors import Problem
from quartet.wind.spots.types import Sectors

Channel = Literal["push", "email"]
# A message waits, is on its way, was sent, failed until it was too late, or was no longer wanted.
State = Literal["waiting", "sending", "sent", "failed", "dropped"]
PastSource = Literal["measurements", "forecasts", "none"]
Knots = Annotated[float, Meta(ge=0, le=150)]
# 1 is Monday, 7 is Sunday.
Weekday = Annotated[int, Meta(ge=1, le=7)]


class HourSpan(msgspec.Struct, frozen=True, rename={"start": "from", "end": "to"}):
    """Local hours of the day, over midnight where the second is smaller; equal ones are all."""

    start: Annotated[int, Meta(ge=0, le=23)]
    end: Annotated[int, Meta(ge=0, le=24)]


class Channels(msgspec.Struct, frozen=True):
    # OpenAPI prefixes two schemas of one name with their modules, and the published name of this
    # one is alarms_types_Channels.
    __module__ = "quartet.wind.alarms.types"

    push: bool
    email: bool


class AlarmChange(msgspec.Struct, frozen=True, rename="camel", omit_defaults=True):
    """When somebody wants to be told about a spot.

    Without `directions` those of the spot count, an empty list is any; without `model` the one
    that was best at the station nearby; without `quiet` a message comes at any time.
    """

    enabled: bool
    wind_min: Knots
    hours: HourSpan
    weekdays: Annotated[list[Weekday], Meta(min_length=1, max_length=7)]
    lead_hours: Annotated[int, Meta(ge=1, le=168)]
    min_hours: Annotated[int, Meta(ge=1, le=24)]
    channels: Channels
    wind_max: Knots | None = None
    gust_max: Knots | None = None
    directions: Sectors | None = None
    model: Annotated[str, Meta(max_length=40)] | None = None
    quiet: HourSpan | None = None


class Alarm(AlarmChange, frozen=True, rename="camel", omit_defaults=True, kw_only=True):
    """The alarm of a favorite; `follows` is the model it looks at, `last_sent` in Unix seconds."""

    favorite: int
    follows: str | None = None
    last_sent: int | None = None


class AlarmList(msgspec.Struct, frozen=True):
    alarms: list[Alarm]


class AlarmWindow(msgspec.Struct, frozen=True, rename="camel", omit_defaults=True):
    """Good hours in a row in Unix seconds; knots, degrees from."""

    start: int
    end: int
    wind_low: int
    wind_high: int
    direction: int
    gust: int | None = None


class Delivered(msgspec.Struct, frozen=True, rename="camel", omit_defaults=True):
    """How a message went on one channel."""

    channel: Channel
    state: State
    tried: int
    sent_at: int | None = None
    error: Problem | None = None


class HistoryEntry(msgspec.Struct, frozen=True, rename="camel"):
    """A window that was told, or would have been; `found_at` is when it was first seen."""

    id: str
    favorite: int
    name: str
    timezone: str
    model: str
    run: int
    found_at: int
    window: AlarmWindow
    messages: list[Delivered]


class AlarmHistory(msgspec.Struct, frozen=True):
    """The newest first."""

    entries: list[HistoryEntry]


class PreviewRequest(msgspec.Struct, frozen=True):
    favorite: int
    alarm: AlarmChange


class Past(msgspec.Struct, frozen=True, rename={"start": "from", "end": "to"}, omit_defaults=True):
    """What an alarm would have found before, by what was measured or forecast at a station.

    `hours` of this time are known.
    """

    source: PastSource
    start: int
    end: int
    hours: int
    windows: list[AlarmWindow]
    station: str | None = None


class Preview(msgspec.Struct, frozen=True, omit_defaults=True):
    """What an alarm would find now and would have found; without `model` there is no forecast."""

    windows: list[AlarmWindow]
    past: Past
    timezone: str
    model: str | None = None
    run: int | None = None


class TrialRequest(msgspec.Struct, frozen=True):
    """Both must not be off."""

    channels: Channels


class TrialResult(msgspec.Struct, frozen=True, omit_defaults=True):
    """How it went on one channel; `devices` got a push message."""

    channel: Channel
    ok: bool
    devices: int | None = None
    error: Problem | None = None


class TrialResults(msgspec.Struct, frozen=True):
    results: list[TrialResult]


class Evaluated(msgspec.Struct, frozen=True):
    """The last time a run was looked at; `told` windows were new."""

    model: str
    run: int
    at: int
    seconds: float
    alarms: int
    told: int


class FailedMessage(msgspec.Struct, frozen=True, rename="camel", omit_defaults=True):
    favorite: int
    channel: Channel
    state: State
    tried: int
    made_at: int
    due_at: int
    error: Problem | None = None


class AlarmReport(msgspec.Struct, frozen=True, rename="camel"):
    """For those who look after the service; `messages` counts them by state."""

    alarms: int
    enabled: int
    messages: dict[State, int]
    evaluations: list[Evaluated]
    troubles: list[FailedMessage]


class Rule(NamedTuple):
    """Knots; sectors in degrees, none for any; the lowest bit of `weekdays` is Monday.

    Hours of the day begin at `hour_from` and end before `hour_to`, also over midnight; equal ones
    mean the whole day. A night belongs to two weekdays: each hour counts for its own.
    """

    wind_min: float
    wind_max: float | None
    gust_max: float | None
    sectors: Sequence[tuple[int, int]]
    hour_from: int
    hour_to: int
    weekdays: int
    lead_hours: int
    min_hours: int
    timezone: str


class Window(NamedTuple):
    """From `start` to `end`; knots and degrees, `gust` where one is forecast."""

    start: int
    end: int
    wind_low: int
    wind_high: int
    gust: int | None
    direction: int
