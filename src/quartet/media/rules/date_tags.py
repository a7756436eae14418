"""Formats dates and tags in names."""

import re
from datetime import UTC, datetime

_PARTS = {
    "YYYY": "%Y", "YY": "%y", "MM": "%m", "DD": "%d", "HH": "%H", "mm": "%M", "ss": "%S",
}  # fmt: skip
_PART = re.compile("|".join(_PARTS))
_TAG = re.compile(r"\{(\w{1,40})(?::([^{}]*))?\}")
_DAY = re.compile(r"(\d{4})[:-](\d{2})[:-](\d{2})(?:[T ](\d{2}):(\d{2}):(\d{2}))?")
# The date a photo was taken has precedence over its modification date.
_DATES = ("taken", "creation_time", "date", "modified")


def format_time(seconds: float, shape: str) -> str | None:
    """Format in the server's time zone; None for a time out of range."""
    try:
        return format_datetime(datetime.fromtimestamp(seconds, UTC).astimezone(), shape)
    except (ValueError, OverflowError, OSError):
        return None


def format_datetime(when: datetime, shape: str) -> str:
    return _PART.sub(lambda part: when.strftime(_PARTS[part[0]]), shape)


def fill_tags(template: str, tags: dict[str, str]) -> str | None:
    """Fill in the tags; None if one is missing."""
    missing = False

    def value(mark: re.Match[str]) -> str:
        nonlocal missing
        found = _date(tags, mark[2]) if mark[1] == "date" and mark[2] else _tag(tags, mark[1])
        missing = missing or not found
        return found

    text = _TAG.sub(value, template)
    return None if missing else text


def _tag(tags: dict[str, str], name: str) -> str:
    value = tags.get(name.lower(), "").strip()
    # `3/12` is track three of twelve.
    return value.split("/")[0].zfill(2) if name == "track" and value else value


def _date(tags: dict[str, str], shape: str) -> str:
    for name in _DATES:
        found = _DAY.match(tags.get(name, ""))
        if found:
            try:
                return format_datetime(datetime(*map(int, filter(None, found.groups()))), shape)  # type: ignore[arg-type]  # noqa: DTZ001
            except ValueError:
                continue
    return ""
