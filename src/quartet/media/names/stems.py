"""Finds what the rules for numbers and parts look for in the words of a name.

Most names have none or few of these, so that most rules need not be tried.
"""

import re
from collections.abc import Sequence
from functools import lru_cache

from quartet.media.names import sport_rounds, sxxeyy, worded_numbers
from quartet.media.names.tables.numbering import DISCS, PART_NUMBER_WORDS, SPECIALS

# `S01`, `T01`, `S01Extras` and `1xAll`.
PACK_STEMS = frozenset(("s", "t", "sextras", "xall"))
# What may number a season or an episode.
MARKS = (
    sxxeyy.HEAD_STEMS
    | sxxeyy.CROSS_STEMS
    | sport_rounds.WORDS
    | worded_numbers.WORDS
    | PART_NUMBER_WORDS
    | PACK_STEMS
)
STEMS = MARKS | DISCS | SPECIALS | {"sample"}
LETTERS = re.compile(r"[^\W\d_]+")
NONE: frozenset[str] = frozenset()


def find(lower: Sequence[str], mixed: Sequence[int]) -> frozenset[str]:
    """Return the stems among these words, and among the letters of those with a number."""
    found = STEMS.intersection(lower)
    for index in mixed:
        if more := of_word(lower[index]):
            found |= more
    return found


# The same few words occur in every name.
@lru_cache(maxsize=4096)
def of_word(word: str) -> frozenset[str]:
    """`Episode02`, `E5`. An `x` at the start belongs to a codec: `x264`."""
    letters = LETTERS.findall(word)
    return STEMS.intersection(letters[1:] if word[0] == "x" else letters) or NONE
