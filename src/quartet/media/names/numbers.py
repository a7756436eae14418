"""Season and episode numbers, and the expansion of ranges."""

import datetime
import re
from typing import Literal, NamedTuple

Form = Literal["sxxeyy", "cross", "worded", "pack", "date", "count", "pair", "absolute", "bare"]

# A longer range is a misreading or an attack.
MOST = 400
# Not the first word of a title, as in `S01E10 11 Friends`; tags are in capitals.
NEXT = re.compile(r"[\s._](\d\d)(?=$|[\s._](?:\d|[A-Z]{4}))")


class EpisodeNumbers(NamedTuple):
    """`start` and `end` are offsets in the text."""

    form: Form
    start: int
    end: int
    seasons: tuple[int, ...] = ()
    episodes: tuple[int, ...] = ()
    date: datetime.date | None = None
    # The span of a title between the numbers: `Episode 5 Title Season 2`.
    between: tuple[int, int] | None = None


def add_following_numbers(text: str, found: list[int], end: int) -> int:
    """Append directly following numbers, as in `S01E02.03`, and return where they end."""
    while following := NEXT.match(text, end):
        number = int(following[1])
        # A list may skip a number: `E01 02 04`.
        left_out = len(found) > 1 and number > found[-1] and following.end() == len(text)
        if number != found[-1] + 1 and not left_out:
            break
        found.append(number)
        end = following.end()
    return end


def expand_range(first: int, last: int) -> tuple[int, ...]:
    if first < last <= first + MOST:
        return tuple(range(first, last + 1))
    return (first,) if first == last else (first, last)
