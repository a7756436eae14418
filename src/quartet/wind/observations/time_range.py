"""Time ranges in query parameters."""

import re
from collections.abc import Sequence

from quartet.kernel.errors import AppError

_SECONDS = re.compile(r"[0-9]{1,10}")
LONGEST_SECONDS = 31 * 86400
# Allows for clock differences and for requests until the end of the day.
_AHEAD_SECONDS = 2 * 86400


def parse_range(starts: Sequence[str], ends: Sequence[str], now: float) -> tuple[int, int]:
    start, end = _time(starts), _time(ends)
    if not start < end <= now + _AHEAD_SECONDS or end - start > LONGEST_SECONDS:
        raise AppError(400, "invalid_range")
    return start, end


def _time(texts: Sequence[str]) -> int:
    if len(texts) != 1 or not _SECONDS.fullmatch(texts[0]):
        raise AppError(400, "invalid_range")
    return int(texts[0])
