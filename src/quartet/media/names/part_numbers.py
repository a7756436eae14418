"""Parts of a mini-series: `Part 2`, `Pt.IV`, `Part One and Part Two`.

A movie may have a part too, so a year speaks against this reading.
"""

import re

from quartet.media.names.number_position import SPACED_DASH, NumberPosition
from quartet.media.names.numbers import (
    LIST_WORDS,
    RANGE_WORDS,
    EpisodeNumbers,
    NumberReading,
    expand_range,
    is_range,
)
from quartet.media.names.tables.numbering import PART_NUMBER_WORDS, PARTS, VALUES
from quartet.media.names.years import YEAR

WORD = "|".join(sorted(PART_NUMBER_WORDS, key=len, reverse=True))
VALUE = rf"\d{{1,2}}|{'|'.join(sorted(VALUES, key=len, reverse=True))}"
PART = re.compile(
    rf"(?<=[\s._-])[(\[]?(?P<word>{WORD})[\s._]{{0,2}}(?P<first>{VALUE})(?![^\W_])"
    rf"(?:[\s._]?(?P<sign>[-~+&,]|(?<=[\s._])(?:{RANGE_WORDS}|{LIST_WORDS})(?=[\s._]))[\s._]?"
    rf"(?:(?:{WORD})[\s._]?)?(?P<last>{VALUE})(?![^\W_]))?(?:[\s._]of[\s._]\d{{1,2}})?",
    re.I,
)
# `2. Teil`, `3ème partie`, `2 часть`.
PART_AFTER = re.compile(
    rf"(?<=[\s._-])[(\[]?(?P<first>\d{{1,2}})(?:\.|-?(?:ª|a|e|ème|eme|nd|rd|th|я|ая))?[\s._]?"
    rf"(?P<word>{'|'.join(sorted(PARTS - {'part', 'pt'}))})(?![^\W_]|[\s._]\d)[)\]]?",
    re.I,
)
MINI_BEFORE = re.compile(r"[\s._(\[-]+mini(?:[\s._-]?series)?[\s._)\]-]*$", re.I)
SURE = 7.5
LIKELY = 3.5
UNLIKELY = 1.5
MOST_MOVIE_PARTS = 3


def read(position: NumberPosition) -> list[NumberReading]:
    words = position.words
    start = words.starts[position.layout.first]
    match = PART.search(words.text, start)
    if not match and (match := PART_AFTER.search(words.text, start)):
        numbers = EpisodeNumbers("part", match.start(), match.end(), (), (int(match["first"]),))
        return [NumberReading(numbers, UNLIKELY if position.has_year else LIKELY)]
    # `Movie Part 1` says what it is.
    if not match or words.lower[words.at(match.start("word")) - 1] in ("movie", "film"):
        return []
    first = value_of(match["first"])
    episodes: tuple[int, ...] = (first,)
    # `Title Part 2 - 12` is the twelfth episode of the second part.
    if match["last"] and match["sign"] == "-" and " - " in match[0]:
        return []
    if match["last"] and (last := value_of(match["last"])) > first:
        episodes = expand_range(first, last) if is_range(match["sign"]) else (first, last)
    mini = MINI_BEFORE.search(words.text, 0, match.start())
    start = mini.start() if mini else match.start()
    numbers = EpisodeNumbers("part", start, match.end(), (), episodes)
    return [NumberReading(numbers, score(position, match, len(episodes), mini=bool(mini)))]


def value_of(text: str) -> int:
    return int(text) if text.isdecimal() else VALUES[text.casefold()]


def is_high_part(position: NumberPosition, match: re.Match[str]) -> bool:
    """`Quiet Harbour (1990) Part Five`: movies have fewer parts, and the year after them."""
    words = position.words
    before = words.at(match.start("word")) - 1
    return value_of(match["first"]) > MOST_MOVIE_PARTS and bool(YEAR.match(words.lower[before]))


def score(position: NumberPosition, match: re.Match[str], count: int, *, mini: bool) -> float:
    words = position.words
    if (
        mini
        or " of " in match[0].lower().replace(".", " ")
        or (count > 1 and not position.has_year)
    ):
        return SURE
    if position.has_year:
        return LIKELY if is_high_part(position, match) else UNLIKELY
    # Something follows, tags or the title of the part; a bare title is a movie.
    dashed = SPACED_DASH.search(words.text, 0, match.start())
    following = words.at(match.end())
    if match["word"].lower() == "chapter":
        tagged = following < words.count and position.known[following]
        # `Quiet Harbour Chapter Two - The Storm`: the title of the chapter follows.
        titled = SPACED_DASH.search(words.gaps[following]) if following < words.count else None
        high = value_of(match["first"]) > MOST_MOVIE_PARTS + 1
        return LIKELY if tagged or titled or high else UNLIKELY
    # Movies rarely have more parts, and in other languages their sequels have a bare number.
    english = match["word"].lower() in ("part", "parts", "pt")
    several = match["first"].isdecimal() and (not english or int(match["first"]) > MOST_MOVIE_PARTS)
    likely = dashed or several or following < words.count or match[0][0] in "(["
    return LIKELY if likely else UNLIKELY
