"""What a name says about season and episode, and how a range of numbers is spelled out."""

import datetime
import re
from typing import Literal, NamedTuple

Form = Literal["coded", "cross", "spoken", "pack", "date", "count", "pair", "absolute", "loose"]

# Nobody has a file with more; a longer range is a misreading or an attack.
MOST = 400
# Not the first word of a title, `S01E10 11 Friends`; facts of a release are in capitals.
NEXT = re.compile(r"[\s._](\d\d)(?=$|[\s._](?:\d|[A-Z]{4}))")


class Numbers(NamedTuple):
    """`start` and `end` are places in the text."""

    form: Form
    start: int
    end: int
    seasons: tuple[int, ...] = ()
    episodes: tuple[int, ...] = ()
    date: datetime.date | None = None
    # Where the title stands, if it is between them: `Episode 5 Title Season 2`.
    between: tuple[int, int] | None = None


def count_on(text: str, found: list[int], end: int) -> int:
    """Adds the very next numbers, which need no sign: `S01E02.03`; gives where they end."""
    while following := NEXT.match(text, end):
        number = int(following[1])
        # A list that has begun may leave one out: `E01 02 04`.
        left_out = len(found) > 1 and number > found[-1] and following.end() == len(text)
        if number != found[-1] + 1 and not left_out:
            break
        found.append(number)
        end = following.end()
    return end


def spread(first: int, last: int) -> tuple[int, ...]:
    if first < last <= first + MOST:
        return tuple(range(first, last + 1))
    return (first,) if first == last else (first, last)
