"""Draws the forecast of a widget as SVG."""

from collections.abc import Iterator
from datetime import UTC, date, datetime
from html import escape
from zoneinfo import ZoneInfo

from quartet.wind.languages import Language
from quartet.wind.pages.force_colours import force_colour
from quartet.wind.units import unit_name, wind_number
from quartet.wind.widgets.types import Widget, WidgetHour, WidgetLook

WIDTH, HEIGHT = 720, 280
# For phones and narrow columns, where the texts of the wide chart would be too small to read.
NARROW_WIDTH = 360
_TOP, _BOTTOM = 84, 220
_MARGIN = 16
_STEP_HOURS, _NARROW_STEP_HOURS = 3, 6
_LABEL_WIDTH = 80
_NUMBER_HEIGHT = 16
_LEAST_SCALE = 25.0
_DAYS: dict[Language, str] = {
    "en": "Mon Tue Wed Thu Fri Sat Sun",
    "de": "Mo Di Mi Do Fr Sa So",
}
_MONTHS = "Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec"
_TEXTS: dict[Language, dict[str, str]] = {
    "en": {"none": "No forecast", "range": "likely range", "gust": "gusts"},
    "de": {"none": "Keine Vorhersage", "range": "wahrscheinlicher Bereich", "gust": "Böen"},
}
_LIGHT = (
    ".b{fill:#f7f9fb}.t{fill:#17202b}.q{fill:#5d6b7a}.l{stroke:#d5dde5}.g{stroke:#5d6b7a}"
    ".r{stroke:#17202b}.a{fill:#17202b}"
)
_DARK = (
    ".b{fill:#12161c}.t{fill:#eef2f6}.q{fill:#9aa7b4}.l{stroke:#2b333d}.g{stroke:#9aa7b4}"
    ".r{stroke:#eef2f6}.a{fill:#eef2f6}"
)


def style_of(look: WidgetLook) -> str:
    if look.theme == "auto":
        return f"{_LIGHT}@media(prefers-color-scheme:dark){{{_DARK}}}"
    return _DARK if look.theme == "dark" else _LIGHT


def chart(
    widget: Widget, timezone: str, look: WidgetLook, *, titled: bool = True, narrow: bool = False
) -> str:
    """Return bars of the wind with the likely range, gusts and directions of three days."""
    texts = _TEXTS[look.language]
    full, step = (NARROW_WIDTH, _NARROW_STEP_HOURS) if narrow else (WIDTH, _STEP_HOURS)
    legend = f"Best, {unit_name(look.unit)} · │ {texts['range']} · — {texts['gust']}"
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {full} {HEIGHT}" role="img" '
        f'class="{"narrow" if narrow else "wide"}" aria-label="{escape(widget.name)}" '
        'font-family="system-ui, sans-serif">',
        f"<style>{style_of(look)}</style>",
        f'<rect class="b" width="{full}" height="{HEIGHT}" rx="8"/>',
        f'<text class="t" x="{_MARGIN}" y="32" font-size="20" font-weight="600">'
        f"{escape(widget.name) if titled else ''}</text>",
        f'<text class="q" x="{_MARGIN}" y="54" font-size="13">{escape(legend)}</text>',
    ]
    hours = [each for each in widget.hours if each.time // 3600 % step == 0]
    if hours:
        parts += _bars(hours, ZoneInfo(timezone), look, full)
    else:
        parts.append(f'<text class="q" x="{_MARGIN}" y="140">{texts["none"]}</text>')
    return "".join([*parts, "</svg>"])


def _bars(hours: list[WidgetHour], zone: ZoneInfo, look: WidgetLook, full: int) -> Iterator[str]:
    width = (full - 2 * _MARGIN) / len(hours)
    highest = max(_LEAST_SCALE, *(max(each.p90, each.gust or 0) for each in hours))
    height = (_BOTTOM - _TOP) / highest
    day = None
    for number, hour in enumerate(hours):
        left = _MARGIN + number * width
        local = _local(hour, zone)
        if local.date() != day:
            day = local.date()
            name = _DAYS[look.language].split()[local.weekday()]
            yield f'<path class="l" d="M{left:.1f} {_TOP}V{HEIGHT - 12}"/>'
            shown_date = _date(day, look.language)
            # A day of which only a few hours are shown has no room for its name.
            room = width * sum(_local(each, zone).date() == day for each in hours[number:])
            label = f"{name} {shown_date}" if room >= _LABEL_WIDTH else ""
            yield (
                f'<text class="q" x="{left + 4:.1f}" y="{HEIGHT - 14}" font-size="12">'
                f"{label}</text>"
            )
        yield from _bar(hour, left, width, height, look)


def _local(hour: WidgetHour, zone: ZoneInfo) -> datetime:
    return datetime.fromtimestamp(hour.time, UTC).astimezone(zone)


def _date(day: date, language: Language) -> str:
    return f"{day:%d.%m.}" if language == "de" else f"{day.day} {_MONTHS.split()[day.month - 1]}"


def _bar(
    hour: WidgetHour, left: float, width: float, height: float, look: WidgetLook
) -> Iterator[str]:
    top, middle = _BOTTOM - hour.wind * height, left + width / 2
    high, low = _BOTTOM - hour.p90 * height, _BOTTOM - hour.p10 * height
    yield (
        f'<rect x="{left + 2:.1f}" y="{top:.1f}" width="{width - 4:.1f}" '
        f'height="{_BOTTOM - top:.1f}" rx="2" fill="{force_colour(hour.wind)}"/>'
    )
    yield f'<path class="r" stroke-opacity=".45" d="M{middle:.1f} {high:.1f}V{low:.1f}"/>'
    if hour.gust is not None:
        mark = _BOTTOM - hour.gust * height
        yield (
            f'<path class="g" stroke-width="2" '
            f'd="M{left + 4:.1f} {mark:.1f}H{left + width - 4:.1f}"/>'
        )
    # A bar that is too low for its number carries it on top, in the colour for the ground.
    inside = _BOTTOM - top >= _NUMBER_HEIGHT
    ink, foot = ('fill="#17202b"', _BOTTOM - 5) if inside else ('class="t"', top - 4)
    yield (
        f'<text {ink} x="{middle:.1f}" y="{foot:.1f}" font-size="12" '
        f'text-anchor="middle">{wind_number(hour.wind, look.unit)}</text>'
    )
    # The arrow points to where the wind blows.
    turn = f"translate({middle:.1f} {_BOTTOM + 16}) rotate({hour.direction + 180})"
    yield f'<path class="a" transform="{turn}" d="M0-7L4 6L0 3L-4 6Z"/>'
