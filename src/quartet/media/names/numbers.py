"""What a name says about season and episode, and how a range of numbers is spelled out."""

import datetime
from typing import Literal, NamedTuple

Form = Literal["coded", "cross", "spoken", "pack", "date", "count", "pair", "absolute", "loose"]

# Nobody has a file with more; a longer range is a misreading or an attack.
MOST = 400


class Numbers(NamedTuple):
    """`start` and `end` are places in the text."""

    form: Form
    start: int
    end: int
    seasons: tuple[int, ...] = ()
    episodes: tuple[int, ...] = ()
    date: datetime.date | None = None


def spread(first: int, last: int) -> tuple[int, ...]:
    if first < last <= first + MOST:
        return tuple(range(first, last + 1))
    return (first,) if first == last else (first, last)
