"""Season and episode numbers, and the expansion of ranges."""

# ruff: noqa: RUF001 - letters and signs of other scripts are meant.

import datetime
import re
from typing import Literal

import msgspec

Form = Literal[
    "sxxeyy",
    "cross",
    "glued",
    "worded",
    "pack",
    "date",
    "count",
    "pair",
    "absolute",
    "bare",
    "compact",
    "part",
]
# Words between two numbers, for a range and for a list.
RANGE_WORDS = "to|bis|thru|through|до|по|à|al|a|t/m"
LIST_WORDS = "and|und|et|y|en|e|i|и|ve"
RANGE_SIGNS = frozenset(("-", "–", "~", *RANGE_WORDS.split("|")))

# A longer range is a misreading or an attack.
MOST = 400
# Not the first word of a title, as in `S01E10 11 Friends`; tags are in capitals.
NEXT = re.compile(r"[\s._](\d\d)(?=$|[\s._](?:\d|[A-Z]{3}))")


class EpisodeNumbers(msgspec.Struct, frozen=True, gc=False):
    """`start` and `end` are offsets in the text."""

    form: Form
    start: int
    end: int
    seasons: tuple[int, ...] = ()
    episodes: tuple[int, ...] = ()
    date: datetime.date | None = None
    # The span of a title between the numbers: `Episode 5 Title Season 2`.
    between: tuple[int, int] | None = None


class NumberReading(msgspec.Struct, frozen=True, gc=False):
    """One way to read the numbers of a name, and how well it fits; see `episode_numbers`."""

    # None: the name has no episode numbers; they belong to the title.
    numbers: EpisodeNumbers | None
    score: float


def is_range(sign: str | None) -> bool:
    return sign is not None and sign.strip(" ._").lower() in RANGE_SIGNS


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
