"""Texts of messages in both languages; apart from mails the server writes no prose."""

from collections.abc import Iterable, Sequence
from datetime import datetime
from itertools import groupby
from typing import NamedTuple

from quartet.wind.alerts.local_time import HOUR, zone_of
from quartet.wind.alerts.types import NO_DIRECTION, AlertWindow, MessageKind
from quartet.wind.units import WindUnit, wind_text


class MessageTexts(NamedTuple):
    days: str
    months: str
    date: str
    points: str
    time: str
    wind: str
    gust: str
    model: str
    more: str
    at_spots: str
    windows: str
    new: str
    withdrawn: str
    withdrawn_subject: str
    measured: str
    measured_subject: str
    station: str
    variable: str
    spots: str
    unsubscribe: str
    unsubscribe_all: str
    test_title: str
    test_body: str
    test_mail: str


_TEXTS = {
    "en": MessageTexts(
        days="Mon Tue Wed Thu Fri Sat Sun",
        months="Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec",
        date="{weekday} {day} {month}",
        points="N NNE NE ENE E ESE SE SSE S SSW SW WSW W WNW NW NNW",
        time="{span} h",
        wind="{wind} from {point}",
        gust="gusts up to {gust}",
        model="Model {models}",
        more="and {count} more",
        at_spots="Wind at {count} spots",
        windows="{count} windows",
        new="New windows",
        withdrawn="Withdrawn: no longer forecast",
        withdrawn_subject="withdrawn",
        measured="Blowing now",
        measured_subject="{spot}: {wind} now",
        station="measured at {station}",
        variable="{wind} from varying directions",
        spots="Forecasts and alerts:",
        unsubscribe="No more mails about {spot}:",
        unsubscribe_all="No more mails about any alert:",
        test_title="Test message",
        test_body="Alerts arrive here.",
        test_mail="This is a test message: alert mails arrive here.\n",
    ),
    "de": MessageTexts(
        days="Mo Di Mi Do Fr Sa So",
        months="1. 2. 3. 4. 5. 6. 7. 8. 9. 10. 11. 12.",
        date="{weekday} {day}.{month}",
        points="N NNO NO ONO O OSO SO SSO S SSW SW WSW W WNW NW NNW",
        time="{span} Uhr",
        wind="{wind} aus {point}",
        gust="Böen bis {gust}",
        model="Modell {models}",
        more="und {count} weitere",
        at_spots="Wind an {count} Spots",
        windows="{count} Zeitfenster",
        new="Neue Zeitfenster",
        withdrawn="Zurückgezogen: nicht mehr vorhergesagt",
        withdrawn_subject="zurückgezogen",
        measured="Jetzt Wind",
        measured_subject="{spot}: jetzt {wind}",
        station="gemessen an {station}",
        variable="{wind} aus wechselnden Richtungen",
        spots="Vorhersagen und Alarme:",
        unsubscribe="Keine Mails mehr zu {spot}:",
        unsubscribe_all="Keine Mails mehr zu Alarmen:",
        test_title="Testnachricht",
        test_body="Alarme kommen hier an.",
        test_mail="Das ist eine Testnachricht: Mails zu Alarmen kommen hier an.\n",
    ),
}

# A push message has room for about 4,000 bytes.
_PUSH_LINES = 8
_PUSH_NAME = 40


class ListedWindow(NamedTuple):
    """A window as a message lists it; for measured wind `model` is the name of the station."""

    kind: MessageKind
    alarm: int
    spot: str
    window: AlertWindow
    model: str
    timezone: str


class MessageText(NamedTuple):
    title: str
    body: str


class SpotLinks(NamedTuple):
    """Links to the page of a spot and to the page that stops its mails."""

    spot: str
    page: str
    unsubscribe: str


def texts_of(language: str) -> MessageTexts:
    return _TEXTS.get(language, _TEXTS["en"])


def push_text(listed: Sequence[ListedWindow], language: str, unit: WindUnit) -> MessageText:
    """Return title and body of a push message: one line for each window, up to a limit."""
    texts = texts_of(language)
    one_spot = len(_spots(listed)) == 1
    lines = []
    for kind, same in _by_kind(listed):
        heading = [] if kind == "window" else [_heading(kind, texts)]
        lines += heading + [_push_line(each, texts, unit, named=not one_spot) for each in same]
    body = lines[:_PUSH_LINES]
    if len(lines) > len(body):
        body.append(texts.more.format(count=len(lines) - len(body)))
    body += _models(listed, texts)
    title = listed[0].spot if one_spot else texts.at_spots.format(count=len(_spots(listed)))
    return MessageText(title, "\n".join(body))


def mail_text(
    listed: Sequence[ListedWindow],
    links: Sequence[SpotLinks],
    unsubscribe_all: str | None,
    language: str,
    unit: WindUnit,
) -> MessageText:
    """Return subject and text of a mail that lists all windows by spot."""
    texts = texts_of(language)
    parts = []
    for kind, same in _by_kind(listed):
        parts.append(_heading(kind, texts))
        for spot, windows in groupby(same, lambda each: each.spot):
            lines = (f"  {_mail_line(each, texts, unit)}" for each in windows)
            parts.append("\n".join([spot, *lines]))
    parts += _models(listed, texts)
    parts.append("\n".join([texts.spots, *(f"{each.spot}: {each.page}" for each in links)]))
    stops = [f"{texts.unsubscribe.format(spot=each.spot)} {each.unsubscribe}" for each in links]
    if unsubscribe_all:
        stops.append(f"{texts.unsubscribe_all} {unsubscribe_all}")
    parts.append("\n".join(stops))
    return MessageText(_subject(listed, texts, unit), "\n\n".join(parts) + "\n")


def time_text(window: AlertWindow, zone: str, language: str) -> str:
    """Return a text such as "Sat 16 May 13-18 h"."""
    return _time(window, zone, texts_of(language))


def _by_kind(listed: Sequence[ListedWindow]) -> Iterable[tuple[MessageKind, list[ListedWindow]]]:
    """Group by kind, the most urgent first; within a kind by spot and time."""
    kinds: tuple[MessageKind, ...] = ("measured", "window", "withdrawn")
    for kind in kinds:
        same = [each for each in listed if each.kind == kind]
        if same:
            yield kind, sorted(same, key=lambda each: (each.spot, each.alarm, each.window.start))


def _heading(kind: MessageKind, texts: MessageTexts) -> str:
    return {"measured": texts.measured, "window": texts.new, "withdrawn": texts.withdrawn}[kind]


def _subject(listed: Sequence[ListedWindow], texts: MessageTexts, unit: WindUnit) -> str:
    spots = _spots(listed)
    where = listed[0].spot if len(spots) == 1 else texts.at_spots.format(count=len(spots))
    if len(listed) > 1:
        return f"{where}: {texts.windows.format(count=len(listed))}"
    (only,) = listed
    if only.kind == "measured":
        return texts.measured_subject.format(spot=where, wind=_range(only.window, unit))
    time = _time(only.window, only.timezone, texts)
    if only.kind == "withdrawn":
        return f"{where}: {time} {texts.withdrawn_subject}"
    return f"{where}: {_range(only.window, unit)}, {time}"


def _push_line(each: ListedWindow, texts: MessageTexts, unit: WindUnit, *, named: bool) -> str:
    where = f"{each.spot[:_PUSH_NAME]}, " if named else ""
    wind = _wind(each.window, texts, unit)
    return f"{where}{_when(each, texts)}: {wind}{_station(each, texts)}"


def _mail_line(each: ListedWindow, texts: MessageTexts, unit: WindUnit) -> str:
    gust = each.window.gust
    gusts = "" if gust is None else f", {texts.gust.format(gust=wind_text(gust, gust, unit))}"
    wind, where = _wind(each.window, texts, unit), _station(each, texts)
    return f"{_when(each, texts)}: {wind}{gusts}{where}"


def _when(each: ListedWindow, texts: MessageTexts) -> str:
    if each.kind != "measured":
        return _time(each.window, each.timezone, texts)
    at = datetime.fromtimestamp(each.window.start, zone_of(each.timezone))
    return f"{_date(at, texts)} {at:%H:%M}"


def _station(each: ListedWindow, texts: MessageTexts) -> str:
    return f", {texts.station.format(station=each.model)}" if each.kind == "measured" else ""


def _models(listed: Sequence[ListedWindow], texts: MessageTexts) -> list[str]:
    """Return the line that names the models of all forecasts, if there are any."""
    models = sorted({each.model for each in listed if each.kind != "measured"})
    return [texts.model.format(models=", ".join(models))] if models else []


def _spots(listed: Sequence[ListedWindow]) -> set[int]:
    return {each.alarm for each in listed}


def _wind(window: AlertWindow, texts: MessageTexts, unit: WindUnit) -> str:
    wind = _range(window, unit)
    if window.direction == NO_DIRECTION:
        return texts.variable.format(wind=wind)
    return texts.wind.format(wind=wind, point=_point(window.direction, texts))


def _range(window: AlertWindow, unit: WindUnit) -> str:
    return wind_text(window.wind_low, window.wind_high, unit)


def _point(degrees: int, texts: MessageTexts) -> str:
    points = texts.points.split()
    return points[round(degrees / 22.5) % len(points)]


def _time(window: AlertWindow, zone: str, texts: MessageTexts) -> str:
    """Format the time span; the day is repeated only if the end is on another day."""
    start = datetime.fromtimestamp(window.start, zone_of(zone))
    # Midnight is shown as 24 of the previous day.
    last = datetime.fromtimestamp(window.end - HOUR, zone_of(zone))
    begin, end = _hour(start.hour, start.minute), _hour(last.hour + 1, last.minute)
    if start.date() == last.date():
        span = f"{_date(start, texts)} {begin}-{end}"
    else:
        span = f"{_date(start, texts)} {begin} - {_date(last, texts)} {end}"
    return texts.time.format(span=span)


def _hour(hour: int, minute: int) -> str:
    """Name the minutes only where the zone is off by a part of an hour, such as in India."""
    return f"{hour % 24}:{minute}" if minute else str(hour)


def _date(moment: datetime, texts: MessageTexts) -> str:
    return texts.date.format(
        weekday=texts.days.split()[moment.weekday()],
        day=moment.day,
        month=texts.months.split()[moment.month - 1],
    )
