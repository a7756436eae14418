"""The year of a film or series, told from numbers that belong to the title."""

# ruff: noqa: RUF001 - letters and brackets of other scripts are meant.

import re

from quartet.media.names.facts import Fact
from quartet.media.names.layout import Layout
from quartet.media.names.numbers import Numbers
from quartet.media.names.words import Words

# Films before, and names with a year far ahead (`Blade Runner 2049`), are titles.
FIRST_YEAR = 1900
LAST_YEAR = 2035
YEAR = re.compile(r"(?:19|20)\d\d(?:г|年)?$")


def find(words: Words) -> list[int]:
    return [
        index
        for index, word in enumerate(words.lower)
        if word[:2] in ("19", "20")
        and YEAR.match(word)
        and FIRST_YEAR <= int(word[:4]) <= LAST_YEAR
    ]


def of_season(numbers: Numbers | None) -> int | None:
    """`S2016E08`: some stations count their seasons in years."""
    season = numbers.seasons[0] if numbers and len(numbers.seasons) == 1 else 0
    return season if FIRST_YEAR <= season <= LAST_YEAR else None


def comes_first(words: Words, found: list[int], layout: Layout, facts: list[Fact]) -> bool:
    """`2008 - Some Film`, and a release, which has a year somewhere; `1917` is a title."""
    second, third = layout.first + 1, layout.first + 2
    if found != [layout.first] or "(" in words.text or third >= words.count:
        return False
    if not facts and words.gap(second) != " - ":
        return False
    if any(second <= fact.first <= third for fact in facts):
        return False
    return all(word.isalpha() and len(word) > 1 for word in words.raw[second : third + 1])


def choose(
    words: Words, found: list[int], layout: Layout, facts: list[Fact], numbers: Numbers | None
) -> int | None:
    """The place of the year among the words."""
    bracketed = [i for i in found if words.gap(i)[-1:] in "[(【（" and words.gap(i)]
    if bracketed:
        return bracketed[0]
    if numbers:
        found = [i for i in found if not numbers.start <= words.starts[i] < numbers.end]
    free = [i for i in found if i != layout.first]
    if numbers and numbers.form != "date":
        return beside(words, free, facts, numbers)
    strong = next((f.first for f in facts if f.strong and f.first > layout.first), words.count)
    early = [i for i in free if i < strong]
    if not early:
        return free[0] if free else None
    # `1999-2004`, of several films.
    last = early[-1]
    return last - 1 if last - 1 in early and words.gap(last).strip() in ("-", "–") else last


def beside(words: Words, found: list[int], facts: list[Fact], numbers: Numbers) -> int | None:
    """Of an episode: right before the numbers, or behind them between other facts."""
    marker = words.at(numbers.start)
    if marker - 1 in found:
        return marker - 1
    firsts = {fact.first for fact in facts}
    if numbers.form == "coded" and numbers.episodes:
        behind = words.at(numbers.end)
        strong = any(fact.strong and fact.first == behind + 1 for fact in facts)
        return behind if behind in found and strong else None
    for index in found:
        if index > marker and (index + 1 in firsts or index + 1 == words.count):
            return index
        if index < marker and all(i in firsts for i in range(index + 1, marker)):
            return index
    return None
