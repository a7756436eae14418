"""Confidence of a parse; the values are checked by the benchmark against external data."""

import re

from quartet.media.names.numbers import (
    LIST_WORDS,
    RANGE_WORDS,
    EpisodeNumbers,
    Form,
    NumberReading,
)
from quartet.media.names.tables.numbering import EPISODES, PARTS, SEASONS, WEAK_SEASONS
from quartet.media.names.vocabulary import INDEX
from quartet.media.names.words import Words

EPISODE: dict[Form, float] = {
    "sxxeyy": 0.97,
    "cross": 0.96,
    "pack": 0.94,
    "worded": 0.93,
    "absolute": 0.9,
    "date": 0.88,
    "count": 0.8,
    "bare": 0.8,
    "glued": 0.85,
    "pair": 0.6,
    "compact": 0.7,
    "part": 0.6,
}
MOVIE_WITH_YEAR = 0.95
MOVIE_WITH_TAGS = 0.85
BARE = 0.75
# Two readings whose scores differ less than this.
CLOSE = 1.0
UNDECIDED = 0.6
DOUBTFUL = 0.8
# One set of first characters, so that the others are skipped quickly.
UNEXPLAINED = re.compile(r"[\[\]{}【】「」|/@第.](?:(?<!\.)|com|net|org)")
# More of the same after the numbers, perhaps the end of a range.
MORE = re.compile(r"(?:(?:s\d+)?ep?|\d{1,2}x)?\d{1,3}[a-d]?$")
JOINED = frozenset((*RANGE_WORDS.split("|"), *LIST_WORDS.split("|")))
ABBREVIATED = re.compile(r"(?:\.|vol|no|nr|st|t|s|c) ?\d{1,3}$", re.I)
# Words that number something; a title rarely contains them.
LEFT_OVER = EPISODES | SEASONS | PARTS | {"complete", "batch", "ova", "special"}
NUMBERING = EPISODES | SEASONS | WEAK_SEASONS | {"complete"}
# A title that only follows the numbers is more likely the episode's title.
TITLE_BEHIND = 0.5


def of_episode(form: Form, title: str | None, title_after_numbers: bool) -> float:
    sure = EPISODE[form]
    if title is None:
        return sure * 0.7
    return sure * TITLE_BEHIND if title_after_numbers else sure


def among(sure: float, readings: list[NumberReading]) -> float:
    """Return the confidence of the first reading, lower if another one is nearly as good."""
    best = readings[0].numbers
    rival = next((r for r in readings[1:] if not same_numbers(r.numbers, best)), None)
    if rival is None:
        return sure
    if readings[0].score - rival.score < CLOSE:
        return min(sure, UNDECIDED)
    return min(sure, DOUBTFUL) if best and rival.numbers else sure


def same_numbers(one: EpisodeNumbers | None, other: EpisodeNumbers | None) -> bool:
    if one is None or other is None:
        return one is other
    return (one.seasons, one.episodes) == (other.seasons, other.episodes)


def is_doubtful(words: Words, numbers: EpisodeNumbers, title: str | None) -> bool:
    """Return True if something is left unexplained.

    Another number right after the numbers; brackets, slashes or words such as `episode` in the
    title; or a first word that may be the group of a lower-case file name.
    """
    if title and (UNEXPLAINED.search(title) or not LEFT_OVER.isdisjoint(title.lower().split())):
        return True
    # `Quiet Harbour Vol. 2 Season 3`, `Quiet Harbour St. 1 Ep. 5`: an abbreviation with a number.
    if title and title[-1].isdigit() and ABBREVIATED.search(title):
        return True
    following = words.at(numbers.end)
    following += following < words.count and words.lower[following] in JOINED
    if following in words.mixed and MORE.match(words.lower[following]):
        return True
    return words.count > 1 and words.gaps[1] == "-" and words.text.islower()


def is_doubtful_title(words: Words, title: str | None) -> bool:
    """Return True if the title of a movie still has something that is usually not part of it."""
    if not title:
        return False
    plain = title.lower().split()
    if UNEXPLAINED.search(title) or (plain[-1] in INDEX and len(plain) > 1):
        return True
    # A word that numbers something, with a number that was not understood.
    if not NUMBERING.isdisjoint(plain) and any(word[-1].isdigit() for word in plain):
        return True
    return words.count > 1 and words.gaps[1] == "-" and words.text.islower()


def of_movie(title: str | None, year: int | None, has_tags: bool) -> float:
    if title is None:
        return 0.0
    if year is not None:
        return MOVIE_WITH_YEAR
    return MOVIE_WITH_TAGS if has_tags else BARE
