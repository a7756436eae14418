"""The order in which people expect names: `a2` before `a10`."""

import re

_PIECES = re.compile(r"[0-9]+|[^0-9]+")

SortKey = tuple[list[tuple[int, int, str]], str]


def natural_sort_key(name: str) -> SortKey:
    """Return a key that compares numbers by their value and letters without their case."""
    pieces = _PIECES.findall(name.casefold())
    key = [(0, int(each), "") if each[0] in "0123456789" else (1, 0, each) for each in pieces]
    # The name itself decides between `A1`, `a1` and `a01`, so that the order is always the same.
    return key, name
