"""Writes the good windows of a user's spots as an iCalendar document (RFC 5545)."""

from collections.abc import Callable, Iterator
from datetime import UTC, datetime

from quartet.wind.calendar.types import CalendarReader
from quartet.wind.outlook.types import GoodWindow, Outlook
from quartet.wind.spots.types import Favorite
from quartet.wind.units import wind_text

_LINE_BYTES = 75
_POINTS = {
    "en": "N NNE NE ENE E ESE SE SSE S SSW SW WSW W WNW NW NNW",
    "de": "N NNO NO ONO O OSO SO SSO S SSW SW WSW W WNW NW NNW",
}
_GUSTS = {"en": "gusts up to {gust}", "de": "Böen bis {gust}"}
_MODEL = {"en": "Model {model}", "de": "Modell {model}"}
_NAME = {"en": "Wind: good windows", "de": "Wind: gute Zeitfenster"}


def document(
    outlook: Outlook, reader: CalendarReader, site: str, name_of: Callable[[str], str]
) -> bytes:
    """Return the calendar; clients should ask for changes every hour."""
    name = _escape(_NAME[reader.language])
    lines = [
        "BEGIN:VCALENDAR",
        "VERSION:2.0",
        "PRODID:-//Quartet//Wind//EN",
        "METHOD:PUBLISH",
        f"NAME:{name}",
        f"X-WR-CALNAME:{name}",
        "REFRESH-INTERVAL;VALUE=DURATION:PT1H",
        "X-PUBLISHED-TTL:PT1H",
    ]
    for spot in outlook.spots:
        for window in spot.windows:
            details = _details(window, name_of(window.model), reader)
            summary = f"{spot.favorite.name}: {_wind(window, reader)}"
            lines += _event(spot.favorite, window, outlook.time, summary, details, site)
    lines.append("END:VCALENDAR")
    return "".join(f"{part}\r\n" for line in lines for part in _folded(line)).encode()


def _event(
    spot: Favorite, window: GoodWindow, now: int, summary: str, details: str, site: str
) -> list[str]:
    return [
        "BEGIN:VEVENT",
        f"UID:{spot.id}-{window.start}@{site.partition('://')[2]}",
        f"DTSTAMP:{_moment(now)}",
        f"DTSTART:{_moment(window.start)}",
        f"DTEND:{_moment(window.end)}",
        f"SUMMARY:{_escape(summary)}",
        f"LOCATION:{_escape(spot.name)}",
        f"GEO:{spot.lat};{spot.lon}",
        f"URL:{site}/spots/{spot.id}",
        f"DESCRIPTION:{_escape(details)}",
        # The time is not blocked for others.
        "TRANSP:TRANSPARENT",
        "END:VEVENT",
    ]


def _details(window: GoodWindow, model: str, reader: CalendarReader) -> str:
    lines = [each.name for each in window.rig if each.name]
    if window.gust_max is not None:
        gust = wind_text(window.gust_max, window.gust_max, reader.unit)
        lines.insert(0, _GUSTS[reader.language].format(gust=gust))
    return "\n".join([*lines, _MODEL[reader.language].format(model=model)])


def _wind(window: GoodWindow, reader: CalendarReader) -> str:
    wind = wind_text(window.wind_mean, window.wind_max, reader.unit)
    if window.direction is None:
        return wind
    points = _POINTS[reader.language].split()
    return f"{wind} {points[round(window.direction / 22.5) % len(points)]}"


def _moment(seconds: int) -> str:
    return f"{datetime.fromtimestamp(seconds, UTC):%Y%m%dT%H%M%SZ}"


def _escape(text: str) -> str:
    """Escape a text; a name must not add properties, so other control characters are removed."""
    escaped = text.replace("\\", "\\\\").replace(";", "\\;").replace(",", "\\,")
    escaped = escaped.replace("\n", "\\n")
    return "".join(each for each in escaped if each.isprintable())


def _folded(line: str) -> Iterator[str]:
    """Split a line into parts of at most 75 bytes, never within a character."""
    part = ""
    for character in line:
        if len((part + character).encode()) > _LINE_BYTES:
            yield part
            part = " "
        part += character
    yield part
