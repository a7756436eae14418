from collections.abc import Sequence
from typing import Annotated, Literal, NamedTuple

import msgspec
from msgspec import Meta

from quartet.kernel.errors import Problem
from quartet.wind.spots.types import Sectors

Channel = Literal["push", "email", "messenger"]
# `failed`: not delivered in time; `dropped`: no longer wanted.
State = Literal["waiting", "sending", "sent", "failed", "dropped"]
# `withdrawn`: an announced window is no longer forecast; `measured`: it is blowing now.
MessageKind = Literal["window", "withdrawn", "measured"]
# Stands for measured wind without a definite direction.
NO_DIRECTION = -1
PastSource = Literal["measurements", "forecasts", "none"]
Knots = Annotated[float, Meta(ge=0, le=150)]
# Millimetres per hour, degrees Celsius, and metres.
Rain = Annotated[float, Meta(ge=0, le=50)]
Temperature = Annotated[int, Meta(ge=-40, le=50)]
Waves = Annotated[float, Meta(ge=0, le=20)]
Chance = Annotated[int, Meta(ge=5, le=95)]
# Conditions on fields that a model may not have.
WeatherCondition = Literal["rain", "temperature", "waves"]
# 1 is Monday, 7 is Sunday.
Weekday = Annotated[int, Meta(ge=1, le=7)]


class HourSpan(msgspec.Struct, frozen=True, rename={"start": "from", "end": "to"}):
    """Local hours of the day; spans midnight if `to` is smaller. Equal hours mean all day."""

    start: Annotated[int, Meta(ge=0, le=23)]
    end: Annotated[int, Meta(ge=0, le=24)]


class ChosenChannels(msgspec.Struct, frozen=True):
    push: bool
    email: bool
    # The user's addresses at services such as ntfy and Telegram.
    messenger: bool = False


class AlarmChange(msgspec.Struct, frozen=True, rename="camel", omit_defaults=True):
    """Conditions under which a user is notified about a spot.

    Without `directions` those of the spot apply; an empty list means any direction. Without `model`
    the most accurate model nearby is used. Without `quiet` messages are sent at any time. With
    `measured` a message is also sent when the station next to the spot begins to measure such wind.
    `rain_max` is in millimetres per hour, 0 for no rain; `temperature_min` is in degrees Celsius;
    `wave_max` is the significant height in metres, of the wave models. They do not exclude an hour
    for which the model has no value. With `chance_min` the hours count whose wind is at least
    `wind_min` with this probability in percent; it needs Best and is ignored with a `model`.
    """

    enabled: bool
    wind_min: Knots
    hours: HourSpan
    weekdays: Annotated[list[Weekday], Meta(min_length=1, max_length=7)]
    lead_hours: Annotated[int, Meta(ge=1, le=168)]
    min_hours: Annotated[int, Meta(ge=1, le=24)]
    channels: ChosenChannels
    wind_max: Knots | None = None
    gust_max: Knots | None = None
    directions: Sectors | None = None
    model: Annotated[str, Meta(max_length=40)] | None = None
    quiet: HourSpan | None = None
    measured: bool = False
    rain_max: Rain | None = None
    temperature_min: Temperature | None = None
    wave_max: Waves | None = None
    chance_min: Chance | None = None


class Alarm(AlarmChange, frozen=True, rename="camel", omit_defaults=True, kw_only=True):
    """The alert of a spot; `follows` is the model in use, `last_sent` is in Unix seconds."""

    favorite: int
    follows: str | None = None
    last_sent: int | None = None


class AlarmList(msgspec.Struct, frozen=True):
    alarms: list[Alarm]


class AlarmWindow(msgspec.Struct, frozen=True, rename="camel", omit_defaults=True):
    """Consecutive hours that meet the conditions.

    Unix seconds, knots, degrees the wind comes from.
    """

    start: int
    end: int
    wind_low: float
    wind_high: float
    direction: int
    gust: float | None = None


class Delivered(msgspec.Struct, frozen=True, rename="camel", omit_defaults=True):
    """State of a message on one channel."""

    channel: Channel
    state: State
    tried: int
    sent_at: int | None = None
    error: Problem | None = None


class HistoryEntry(msgspec.Struct, frozen=True, rename="camel"):
    """A window that was announced, would have been, or was withdrawn.

    `found_at` is when it was first found, or found missing.
    """

    id: str
    favorite: int
    name: str
    timezone: str
    model: str
    run: int
    found_at: int
    window: AlarmWindow
    messages: list[Delivered]
    kind: MessageKind = "window"


class AlarmHistory(msgspec.Struct, frozen=True):
    """Newest first."""

    entries: list[HistoryEntry]


class DailyDigest(msgspec.Struct, frozen=True):
    """The local hour at which the windows of a day are sent in one message."""

    hour: Annotated[int, Meta(ge=0, le=23)]
    timezone: Annotated[str, Meta(min_length=1, max_length=60)]


class AlertSettings(msgspec.Struct, frozen=True, omit_defaults=True):
    """Without `digest` messages are sent at once."""

    digest: DailyDigest | None = None


class PreviewRequest(msgspec.Struct, frozen=True):
    favorite: int
    alarm: AlarmChange


class Past(msgspec.Struct, frozen=True, rename={"start": "from", "end": "to"}, omit_defaults=True):
    """Windows an alert would have found in the past, by measurements or forecasts at a station.

    `hours` of the period have data. Only the conditions on wind apply.
    """

    source: PastSource
    start: int
    end: int
    hours: int
    windows: list[AlarmWindow]
    station: str | None = None


class Preview(msgspec.Struct, frozen=True, omit_defaults=True):
    """Windows an alert would find now and in the past; without `model` there is no forecast.

    `unchecked` are conditions of the alert on fields that the forecast does not have.
    """

    windows: list[AlarmWindow]
    past: Past
    timezone: str
    model: str | None = None
    run: int | None = None
    unchecked: list[WeatherCondition] | None = None


class TrialRequest(msgspec.Struct, frozen=True):
    """At least one channel must be on."""

    channels: ChosenChannels


class TrialResult(msgspec.Struct, frozen=True, omit_defaults=True):
    """Result on one channel; `devices` is the number of browsers or addresses that got it."""

    channel: Channel
    ok: bool
    devices: int | None = None
    error: Problem | None = None


class TrialResults(msgspec.Struct, frozen=True):
    results: list[TrialResult]


class Evaluated(msgspec.Struct, frozen=True):
    """The last evaluation of a model; `told` is the number of new windows."""

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
    """Report for admins; `messages` counts messages by state."""

    alarms: int
    enabled: int
    messages: dict[State, int]
    evaluations: list[Evaluated]
    troubles: list[FailedMessage]


class Rule(NamedTuple):
    """The conditions of an alert. Knots; sectors in degrees, empty for any direction.

    Hours start at `hour_from` and end before `hour_to`, also across midnight; equal hours mean the
    whole day. The lowest bit of `weekdays` is Monday; hours after midnight count for their own day.
    `rain_max` is in millimetres per hour, `temperature_min` in degrees Celsius, `wave_max` in
    metres.
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
    rain_max: float | None = None
    temperature_min: int | None = None
    wave_max: float | None = None
    # In percent.
    chance_min: int | None = None


class AlertWindow(NamedTuple):
    """A window from `start` to `end`; knots to a tenth, and degrees; `gust` if forecast."""

    start: int
    end: int
    wind_low: float
    wind_high: float
    gust: float | None
    direction: int
