"""Reads season and episode, from the plainest way of writing them to the vaguest."""

import re

from quartet.media.names import coded, dates, loose, spoken
from quartet.media.names.facts import MEASURED, Fact
from quartet.media.names.layout import Layout
from quartet.media.names.numbers import Numbers
from quartet.media.names.place import NUMBER, Place, looks_like_year, made
from quartet.media.names.words import Words

# `S01`, `S01Extras` and `1xAll`.
PACK_STEMS = frozenset(("s", "sextras", "xall"))
LETTERS = re.compile(r"[^\W\d_]+")


def find(
    words: Words, facts: list[Fact], layout: Layout, years: list[int], *, file: bool
) -> Numbers | None:
    text = words.text
    if found := coded.find(text):
        return found
    stems = stems_of(words)
    seasons = season_of(text, stems)
    episodes = spoken.episodes(text, stems, seasons.end if seasons else 0)
    if seasons or episodes:
        return together(words, facts, layout, seasons, episodes)
    if dates.possible(words.lower, years) and (day := dates.find(text)):
        return numbered_day(words, layout, day)
    return loose.find(place(words, facts, layout, years, file=file))


def season_of(text: str, stems: set[str]) -> Numbers | None:
    found = spoken.seasons(text, stems)
    pack = coded.packs(text) if not PACK_STEMS.isdisjoint(stems) else None
    # `Quiet Harbour S02 Season 2` says it twice.
    if found and pack and pack.seasons == found.seasons and pack.start < found.start:
        return found._replace(start=pack.start)
    return found or pack


def stems_of(words: Words) -> set[str]:
    """The words, and those that have a number without a space: `Episode02`, `E5`."""
    stems = set(words.lower)
    for word in words.lower:
        if not word.isalpha() and not word.isdigit():
            stems.update(LETTERS.findall(word))
    return stems


def place(
    words: Words, facts: list[Fact], layout: Layout, years: list[int], *, file: bool = True
) -> Place:
    known = bytearray(words.count)
    for fact in facts:
        for index in range(fact.first, fact.last):
            known[index] = fact.tokens[0].kind != "format"
        # `2.3GB` is two words, and the first is no episode.
        if fact.tokens == MEASURED and fact.first and words.gap(fact.first) in (".", " ", "-"):
            known[fact.first - 1] = 1
    dated = any(year >= layout.first for year in years)
    return Place(words, layout, known, dated, file)


def numbered_day(words: Words, layout: Layout, day: Numbers) -> Numbers:
    """`Quiet.Harbour.205.The.Storm.2010.11.23`: the number stands before the name and the day."""
    for index in range(layout.first + 2, words.at(day.start) - 1):
        word = words.raw[index]
        if len(word) == 3 and word.isdecimal() and word[0] != "0" and word[1] < "5":
            season, episode = divmod(int(word), 100)
            return day._replace(start=words.starts[index], seasons=(season,), episodes=(episode,))
    return day


def together(
    words: Words,
    facts: list[Fact],
    layout: Layout,
    seasons: Numbers | None,
    episodes: Numbers | None,
) -> Numbers | None:
    if seasons and episodes:
        both = episodes.seasons or seasons.seasons
        episodes = without_season(episodes, both)
        start, end = min(seasons.start, episodes.start), max(seasons.end, episodes.end)
        first, second = sorted((seasons, episodes), key=lambda found: found.start)
        leads = words.at(first.start) <= layout.first
        inner = between(words, facts, first.end, second.start) if leads else None
        return Numbers("spoken", start, end, both, episodes.episodes, between=inner)
    if seasons and len(seasons.seasons) == 1:
        return followed(words, facts, layout, seasons)
    return seasons or episodes


def between(words: Words, facts: list[Fact], start: int, end: int) -> tuple[int, int] | None:
    known = {index for fact in facts for index in range(fact.first, fact.last)}
    inside = set(range(words.at(start), words.at(end))) - known
    return (start, end) if any(words.raw[index].isalpha() for index in inside) else None


def without_season(found: Numbers, seasons: tuple[int, ...]) -> Numbers:
    """`Temporada 4 [Cap.408]`: the season is said once more in the number of the episode."""
    if len(seasons) == 1 and seasons[0] and all(n // 100 == seasons[0] for n in found.episodes):
        return found._replace(episodes=tuple(number % 100 for number in found.episodes))
    return found


def followed(words: Words, facts: list[Fact], layout: Layout, seasons: Numbers) -> Numbers:
    """A season, and behind it an episode without a word for it: `S2 - 09`, `Season 11 01`."""
    index = words.at(seasons.end)
    known = {fact.first for fact in facts}
    if words.lower[index : index + 1] == ["part"]:
        index += 2
    if index >= words.count or index in known or not words.raw[index][0].isdigit():
        return seasons
    if counted := loose.count(words, [index]):
        return counted._replace(start=seasons.start, seasons=seasons.seasons)
    match = NUMBER.match(words.lower[index])
    if not match or len(match[1]) < 2 or looks_like_year(int(match[1])):
        return seasons
    values = {index: int(match[1])}
    following = index + 1
    if following < words.count and (more := NUMBER.match(words.lower[following])):
        values[following] = int(more[1])
    found = made(place(words, facts, layout, []), "pack", index, values)
    return Numbers(seasons.form, seasons.start, found.end, seasons.seasons, found.episodes)
