"""Episodes whose number comes first: `321 - Title`, `01 Pilot`, `Chapter 9`."""

from msgspec.structs import replace

from quartet.media.names.number_position import (
    SPACED_DASH,
    NumberPosition,
    build_numbers,
    looks_like_year,
)
from quartet.media.names.numbers import EpisodeNumbers
from quartet.media.names.words import Words


def leading_with_dash(
    position: NumberPosition, index: int, value: int, values: dict[int, int]
) -> EpisodeNumbers | None:
    """Read `321 - Title`. In `[Group] 86 - 05` the first number is the title."""
    if values.get(index + 1, value) < value and position.ends_at(index + 1):
        return None
    if position.layout.fansub and index and dashed_number_follows(position, index, values):
        return None
    found = at_start(position, index, value, values)
    return found if found and dash_follows(position.words, found) else None


def dashed_number_follows(position: NumberPosition, index: int, values: dict[int, int]) -> bool:
    """`[Group] 86 - Eighty Six - 23`: the later number is the episode, the first the title."""
    words = position.words
    return any(
        later > index + 1 and SPACED_DASH.search(words.gaps[later]) and position.ends_at(later)
        for later in values
    )


def at_start(
    position: NumberPosition, index: int, value: int, values: dict[int, int]
) -> EpisodeNumbers | None:
    words = position.words
    if index != position.layout.first or position.has_year or looks_like_year(value):
        return None
    padded = words.raw[index].startswith("0")
    found = build_numbers(position, "bare", index, values)
    if words.count == 1 and len(words.raw[index]) in (3, 4) and words.raw[index].isdigit():
        return season_and_episode(words, index, value)
    alone = words.count == 1 and value < 100
    return found if padded or dash_follows(words, found) or alone else None


def before_dot(
    position: NumberPosition, index: int, value: int, values: dict[int, int]
) -> EpisodeNumbers | None:
    """`104. Quiet Harbour - The Storm`"""
    words = position.words
    if index or position.has_year or not words.gaps[1].startswith(". ") or words.count < 3:
        return None
    return EpisodeNumbers("bare", words.starts[0], words.ends[0], (), (value,))


def season_and_episode(words: Words, index: int, value: int) -> EpisodeNumbers | None:
    """Split `102` and `0102` into season and episode."""
    season, episode = divmod(value, 100)
    if not season or not episode:
        return None
    return EpisodeNumbers("bare", words.starts[index], words.ends[index], (season,), (episode,))


def dash_follows(words: Words, found: EpisodeNumbers) -> bool:
    last = words.at(found.end) - 1
    return last + 1 < words.count and bool(SPACED_DASH.search(words.gaps[last + 1]))


def chapter(
    position: NumberPosition, index: int, value: int, values: dict[int, int]
) -> EpisodeNumbers | None:
    """Read `Chapter 9 The Storm`; a movie has words before it or a year.

    What follows is the episode's title, so the series stays unknown.
    """
    words, first = position.words, position.layout.first
    if index != first + 1 or words.lower[first] != "chapter" or position.has_year:
        return None
    start, end = words.starts[first], words.ends[first]
    found = build_numbers(position, "bare", index, values)
    return replace(found, start=start, between=(start, end))
