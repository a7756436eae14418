"""The wind of a METAR or SPECI."""

import re
from typing import NamedTuple

from quartet.wind.observations.groups import named_time, wind_of
from quartet.wind.observations.types import Wind

_STATION = re.compile(r"[A-Z][A-Z0-9]{3}", re.A)
_TIME = re.compile(r"(\d{6})Z", re.A)
_BEFORE = {"METAR", "SPECI", "COR"}
# After these words nothing is told about the present.
_END = {"RMK", "TEMPO", "BECMG", "NOSIG", "NIL"}
_LONGEST = 2000


class Metar(NamedTuple):
    station: str
    time: int
    wind: Wind


def parse_metar(raw: str, near: int) -> Metar | None:
    """`near` is about when it was written; nothing for what tells no wind."""
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
        if wind := wind_of(word):
            return Metar(words[0], time, wind)
    return None
