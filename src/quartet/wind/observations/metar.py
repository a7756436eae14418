"""Reads the wind of a METAR or SPECI."""

import re
from typing import NamedTuple

from quartet.wind.observations.types import WindReading
from quartet.wind.observations.wind_groups import named_time, parse_wind

_STATION = re.compile(r"[A-Z][A-Z0-9]{3}", re.A)
_TIME = re.compile(r"(\d{6})Z", re.A)
_BEFORE = {"METAR", "SPECI", "COR"}
# Groups after these words are not about the current weather.
_END = {"RMK", "TEMPO", "BECMG", "NOSIG", "NIL"}
_LONGEST = 2000


class Metar(NamedTuple):
    station: str
    time: int
    wind: WindReading


def parse_metar(raw: str, near: int) -> Metar | None:
    """Parse a report written around `near`; None if it contains no wind."""
    words = raw[:_LONGEST].rstrip("= \r\n").split()
    while words and words[0] in _BEFORE:
        words.pop(0)
    if len(words) < 3 or not _STATION.fullmatch(words[0]):
        return None
    match = _TIME.fullmatch(words[1])
    time = named_time(match[1], near) if match else None
    if time is None:
        return None
    for word in words[2:]:
        if word in _END:
            return None
        if wind := parse_wind(word):
            return Metar(words[0], time, wind)
    return None
