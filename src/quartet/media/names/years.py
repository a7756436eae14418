"""Finds the year of a movie or series among numbers that belong to the title."""

# ruff: noqa: RUF001 - letters and brackets of other scripts are meant.

import re

from quartet.media.names.name_layout import NameLayout
from quartet.media.names.numbers import EpisodeNumbers
from quartet.media.names.release_tags import ReleaseTag
from quartet.media.names.words import Words

# Years outside this range belong to a title (`Blade Runner 2049`).
FIRST_YEAR = 1900
LAST_YEAR = 2035
YEAR = re.compile(r"(?:19|20)\d\d(?:г|年)?$")
WORDS = frozenset(
    f"{year}{sign}" for year in range(FIRST_YEAR, LAST_YEAR + 1) for sign in ("", "г", "年")
)
# No title ends with these, so a year after them belongs to it: `Road to 2002 - 31`.
LINKS = frozenset(("to", "of", "from", "since", "until", "till", "in", "nach", "von", "bis"))


def find(words: Words) -> list[int]:
    lower = words.lower
    return [index for index in words.mixed if lower[index] in WORDS]


def year_of_season(numbers: EpisodeNumbers | None) -> int | None:
    """`S2016E08`: some stations number their seasons by year."""
    season = numbers.seasons[0] if numbers and len(numbers.seasons) == 1 else 0
    return season if FIRST_YEAR <= season <= LAST_YEAR else None


def year_leads(words: Words, found: list[int], layout: NameLayout, tags: list[ReleaseTag]) -> bool:
    """`2008 - Some Film`, or a release with tags. `1917` alone is a title."""
    second, third = layout.first + 1, layout.first + 2
    if found != [layout.first] or "(" in words.text or second >= words.count:
        return False
    dashed = words.gaps[second] == " - "
    if dashed and not any(tag.first == second for tag in tags):
        return any(word[0].isalpha() for word in words.raw[second : third + 1])
    if not tags or third >= words.count or any(second <= tag.first <= third for tag in tags):
        return False
    return all(word.isalpha() and len(word) > 1 for word in words.raw[second : third + 1])


def choose(
    words: Words,
    found: list[int],
    layout: NameLayout,
    tags: list[ReleaseTag],
    numbers: EpisodeNumbers | None,
) -> int | None:
    """Return the index of the year among the words."""
    outside = (
        [i for i in found if not numbers.start <= words.starts[i] < numbers.end]
        if numbers
        else found
    )
    # `Season 6 (2016) Episode 13`, but not the year of an air date.
    bracketed = [
        i
        for i in (outside if numbers and numbers.date else found)
        if words.gaps[i][-1:] in "[(【（" and words.gaps[i]
    ]
    if bracketed:
        return bracketed[0]
    found = outside
    free = [i for i in found if i != layout.first]
    if numbers and numbers.form != "date":
        return year_next_to_numbers(words, free, tags, numbers)
    strong = next((f.first for f in tags if f.strong and f.first > layout.first), words.count)
    early = [i for i in free if i < strong]
    if not early:
        return free[0] if free else None
    # `1999-2004`, for several movies.
    last = early[-1]
    return last - 1 if last - 1 in early and words.gaps[last].strip() in ("-", "–") else last


def year_next_to_numbers(
    words: Words, found: list[int], tags: list[ReleaseTag], numbers: EpisodeNumbers
) -> int | None:
    """The year of an episode: right before the numbers, or after them between tags."""
    marker = words.at(numbers.start)
    if marker - 1 in found:
        linked = marker > 1 and words.lower[marker - 2] in LINKS
        return None if linked and not words.brackets[marker - 1] else marker - 1
    firsts = {tag.first for tag in tags}
    if numbers.form == "sxxeyy" and numbers.episodes:
        behind = words.at(numbers.end)
        strong = any(tag.strong and tag.first == behind + 1 for tag in tags)
        return behind if behind in found and strong else None
    for index in found:
        if index > marker and (index + 1 in firsts or index + 1 == words.count):
            return index
        if index < marker and all(i in firsts for i in range(index + 1, marker)):
            return index
    return None
