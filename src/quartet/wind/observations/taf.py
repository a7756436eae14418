"""Reads the wind of a TAF as a list of time spans."""

import re
from typing import NamedTuple

from quartet.wind.observations.types import Change, Span, Taf, WindReading
from quartet.wind.observations.wind_groups import named_time, parse_wind

_STATION = re.compile(r"[A-Z][A-Z0-9]{3}", re.A)
_ISSUED = re.compile(r"(\d{6})Z", re.A)
_WINDOW = re.compile(r"(\d{4})/(\d{4})", re.A)
_FROM = re.compile(r"FM(\d{6})", re.A)
_PROBABLE = re.compile(r"PROB(\d\d)", re.A)
_BEFORE = {"TAF", "AMD", "COR"}
_WORDS: dict[str, Change] = {"BECMG": "becoming", "TEMPO": "temporary", "INTER": "temporary"}
_LONGEST = 4000
_LONGEST_VALIDITY = 3 * 86400


class TafReport(NamedTuple):
    station: str
    taf: Taf


class _TafPart(NamedTuple):
    """The wind of one change group."""

    change: Change
    start: int
    end: int
    wind: WindReading
    probability: int | None


def parse_taf(raw: str, near: int) -> TafReport | None:
    """Parse a TAF; None for NIL, cancelled reports and reports without wind."""
    raw = " ".join(raw[:_LONGEST].rstrip("= \r\n").split())
    words = raw.split()
    while words and words[0] in _BEFORE:
        words.pop(0)
    if len(words) < 4 or not _STATION.fullmatch(words[0]) or {"NIL", "CNL"} & set(words):
        return None
    match = _ISSUED.fullmatch(words[1])
    issued = named_time(match[1], near) if match else None
    valid = None if issued is None else _window(words[2], issued)
    if issued is None or valid is None or not 0 < valid[1] - valid[0] <= _LONGEST_VALIDITY:
        return None
    parts = [part for group in _groups(words[3:]) if (part := _part(group, valid))]
    spans = _spans(parts, valid)
    return TafReport(words[0], Taf(raw, issued, *valid, spans)) if spans else None


def _window(word: str, near: int) -> tuple[int, int] | None:
    match = _WINDOW.fullmatch(word)
    if match is None:
        return None
    start = named_time(match[1], near)
    end = None if start is None else named_time(match[2], start)
    return None if start is None or end is None or end <= start else (start, end)


def _groups(words: list[str]) -> list[list[str]]:
    """Split into change groups; all but the first start with a change indicator."""
    groups: list[list[str]] = [[]]
    for word in words:
        of_probable = word in _WORDS and len(groups[-1]) == 1 and _PROBABLE.match(groups[-1][0])
        if _change_of(word) == "base" or of_probable:
            groups[-1].append(word)
        else:
            groups.append([word])
    return groups


def _part(group: list[str], valid: tuple[int, int]) -> _TafPart | None:
    """Return the group's part, or None if it has no wind."""
    wind = next((found for word in group if (found := parse_wind(word))), None)
    if wind is None:
        return None
    head = group[0]
    windows = (_window(word, valid[0]) for word in group[:3])
    start, end = next((window for window in windows if window), valid)
    if match := _FROM.fullmatch(head):
        named = named_time(match[1], valid[0])
        start = end if named is None else named
    probable = _PROBABLE.fullmatch(head)
    return _TafPart(
        _change_of(head),
        max(start, valid[0]),
        min(end, valid[1]),
        wind,
        int(probable[1]) if probable else None,
    )


def _change_of(word: str) -> Change:
    if _FROM.fullmatch(word):
        return "from"
    if _PROBABLE.fullmatch(word):
        return "probable"
    return _WORDS.get(word, "base")


def _spans(parts: list[_TafPart], valid: tuple[int, int]) -> list[Span]:
    """Return the spans; prevailing wind lasts until the next prevailing group."""
    prevailing = [part for part in parts if part.change in ("base", "from", "becoming")]
    spans = []
    for part in parts:
        if part.start >= part.end:
            continue
        end, settled = part.end, None
        if part.change == "becoming":
            settled, end = part.end, valid[1]
        if part in prevailing:
            later = prevailing[prevailing.index(part) + 1 :]
            end = min([end, *(_holds_from(other) for other in later)])
        spans.append(_span(part, end, settled))
    return [span for span in spans if span.start < span.end]


def _holds_from(part: _TafPart) -> int:
    return part.end if part.change == "becoming" else part.start


def _span(part: _TafPart, end: int, settled: int | None) -> Span:
    wind = part.wind
    return Span(
        part.start,
        end,
        part.change,
        wind.wind,
        wind.direction,
        wind.gust,
        wind.variable,
        part.probability,
        settled,
    )
