"""Draws the forecast of a station as a picture for link previews."""

import io
from datetime import UTC, datetime
from typing import NamedTuple
from zoneinfo import ZoneInfo

from PIL import Image, ImageDraw, ImageFont

from quartet.wind.pages.force_colours import force_colour
from quartet.wind.units import WindUnit, wind_number

SIZE = 1200, 630
HOURS = 72
_STEP_HOURS = 3
_MARGIN = 60
_CHART_TOP, _CHART_BOTTOM = 240, 520
_BACKGROUND, _TEXT, _QUIET, _LINE = "#f7f9fb", "#17202b", "#5d6b7a", "#d5dde5"
_LEAST_SCALE = 25.0


class PictureHour(NamedTuple):
    """Unix seconds and knots."""

    time: int
    wind: float
    gust: float | None


class Picture(NamedTuple):
    title: str
    subtitle: str
    hours: list[PictureHour]
    timezone: str
    unit: WindUnit = "kn"


def draw_preview(picture: Picture) -> bytes:
    """Return a PNG with bars of the wind and marks of the gusts."""
    image = Image.new("RGB", SIZE, _BACKGROUND)
    draw = ImageDraw.Draw(image)
    _write_fitting(draw, (_MARGIN, 50), picture.title, 64, _TEXT)
    _write_fitting(draw, (_MARGIN, 140), picture.subtitle, 32, _QUIET)
    hours = _thinned(picture.hours)
    if hours:
        _draw_bars(draw, hours, ZoneInfo(picture.timezone), picture.unit)
    out = io.BytesIO()
    image.save(out, "PNG")
    return out.getvalue()


def _thinned(hours: list[PictureHour]) -> list[PictureHour]:
    """Leave out hours that are too close to draw; models have steps of one to six hours."""
    kept: list[PictureHour] = []
    for hour in hours:
        if not kept or hour.time - kept[-1].time >= _STEP_HOURS * 3600:
            kept.append(hour)
    return kept


def _draw_bars(
    draw: ImageDraw.ImageDraw, hours: list[PictureHour], zone: ZoneInfo, unit: WindUnit
) -> None:
    width = (SIZE[0] - 2 * _MARGIN) / len(hours)
    highest = max(_LEAST_SCALE, *(max(each.wind, each.gust or 0) for each in hours))
    height = (_CHART_BOTTOM - _CHART_TOP) / highest
    day = None
    for number, hour in enumerate(hours):
        left = _MARGIN + number * width
        local = datetime.fromtimestamp(hour.time, UTC).astimezone(zone)
        if local.date() != day:
            day = local.date()
            draw.line((left, _CHART_TOP, left, _CHART_BOTTOM + 44), _LINE, 2)
            _write(draw, (left + 8, _CHART_BOTTOM + 14), f"{day:%d.%m.}", 26, _QUIET)
        top = _CHART_BOTTOM - hour.wind * height
        draw.rectangle(
            (left + 3, top, left + width - 3, _CHART_BOTTOM), force_colour(hour.wind), _TEXT
        )
        if hour.gust is not None:
            mark = _CHART_BOTTOM - hour.gust * height
            draw.line((left + 3, mark, left + width - 3, mark), _QUIET, 3)
        shown = wind_number(hour.wind, unit)
        _write(draw, (left + width / 2, top - 6), shown, 22, _TEXT, anchor="ms")
    draw.line((_MARGIN, _CHART_BOTTOM, SIZE[0] - _MARGIN, _CHART_BOTTOM), _TEXT, 2)


def _write_fitting(
    draw: ImageDraw.ImageDraw, at: tuple[float, float], text: str, size: int, colour: str
) -> None:
    """Write in a smaller size, or shortened, if the text does not fit."""
    room = SIZE[0] - 2 * _MARGIN
    while size > 24 and draw.textlength(text, ImageFont.load_default(size)) > room:
        size -= 4
    while len(text) > 1 and draw.textlength(text, ImageFont.load_default(size)) > room:
        text = text[:-2] + "…"
    _write(draw, at, text, size, colour)


def _write(
    draw: ImageDraw.ImageDraw,
    at: tuple[float, float],
    text: str,
    size: int,
    colour: str,
    anchor: str = "la",
) -> None:
    draw.text(at, text, colour, ImageFont.load_default(size), anchor)
