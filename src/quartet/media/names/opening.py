"""Episodes whose number comes first: `321 - Title`, `01 Pilot`, `Chapter 9`."""

from quartet.media.names.numbers import Numbers
from quartet.media.names.place import SPACED_DASH, Place, looks_like_year, made
from quartet.media.names.words import Words


def opening(place: Place, index: int, value: int, values: dict[int, int]) -> Numbers | None:
    """`321 - Title`: a number and a dash come first; in `[Group] 86 - 05` it is the title."""
    if index and values.get(index + 1, value) < value and place.closes(index + 1):
        return None
    found = at_start(place, index, value, values)
    return found if found and dash_behind(place.words, found) else None


def at_start(place: Place, index: int, value: int, values: dict[int, int]) -> Numbers | None:
    words = place.words
    if index != place.layout.first or place.dated or looks_like_year(value):
        return None
    padded = words.raw[index].startswith("0")
    found = made(place, "loose", index, values)
    if words.count == 1 and len(words.raw[index]) in (3, 4) and words.raw[index].isdigit():
        return in_one(words, index, value)
    alone = words.count == 1 and value < 100
    return found if padded or dash_behind(words, found) or alone else None


def in_one(words: Words, index: int, value: int) -> Numbers | None:
    """`102` and `0102` are season and episode."""
    season, episode = divmod(value, 100)
    if not season or not episode:
        return None
    return Numbers("loose", words.starts[index], words.ends[index], (season,), (episode,))


def dash_behind(words: Words, found: Numbers) -> bool:
    last = words.at(found.end) - 1
    return last + 1 < words.count and bool(SPACED_DASH.search(words.gap_after(last)))


def chapter(place: Place, index: int, value: int, values: dict[int, int]) -> Numbers | None:
    """`Chapter 9 The Storm`; a film has words before it or a year.

    What follows is the name of the episode, so the series is not told at all.
    """
    words, first = place.words, place.layout.first
    if index != first + 1 or words.lower[first] != "chapter" or place.dated:
        return None
    start, end = words.starts[first], words.ends[first]
    return made(place, "loose", index, values)._replace(start=start, between=(start, end))
