"""Finds season and episode: all readings of the numbers, scored against each other."""

import re
from collections.abc import Set as AbstractSet

from msgspec.structs import replace

from quartet.media.names import (
    air_dates,
    bare_numbers,
    counted_numbers,
    part_numbers,
    sport_rounds,
    sxxeyy,
    worded_numbers,
)
from quartet.media.names.name_layout import NameLayout
from quartet.media.names.number_position import (
    NUMBER,
    NumberPosition,
    build_numbers,
    looks_like_year,
)
from quartet.media.names.numbers import EpisodeNumbers, Form, NumberReading
from quartet.media.names.release_tags import MEASURED, ReleaseTag
from quartet.media.names.stems import MARKS, PACK_STEMS
from quartet.media.names.tables.numbering import PART_NUMBER_WORDS
from quartet.media.names.words import Words

# Scores: a notation with a letter or a word is clearer than bare digits.
CODE = 10.0
WORDED = 8.0
NO_NUMBERS = 3.0
# `Fahrenheit.9.11.2004`: dates of episodes have two digits.
TITLE_LIKE_DATE = 6.0
ONE_DIGIT = re.compile(r"(?<!\d)\d\.(?=\d)")
# A date this many characters after the numbers belongs to them.
NEAR = 4
# Words between the number of an episode and its air date.
BEFORE_DATE = frozenset(("vom", "from", "van", "du", "del"))
COUNTED = re.compile(r"(f|ep?|folge)?(\d{3,5})$")
# Few seasons are released in more parts.
MOST_SEASON_PARTS = 3


def find(
    words: Words, tags: list[ReleaseTag], layout: NameLayout, years: list[int], *, file: bool
) -> list[NumberReading]:
    """Return all readings of the numbers, the best first.

    A code or a word names its number; only bare digits can be read in several ways, and those
    readings compete, also with the one that the name has no episode numbers.
    """
    text = words.text
    day = air_dates.find(text) if air_dates.possible(words, years) else None
    stems = MARKS & words.stems
    if found := sxxeyy.find(text, stems):
        return [NumberReading(with_date(found, day, title_start(words, layout)), CODE)]
    if stems or not text.isascii():
        rounds = bool(years) and not day and not sport_rounds.WORDS.isdisjoint(stems)
        if rounds and (found := sport_rounds.find(text)):
            return [NumberReading(found, WORDED)]
        seasons = season_of(text, stems)
        episodes = worded_numbers.episodes(text, stems, seasons.end if seasons else 0)
        if (seasons or episodes) and (found := combine(words, tags, layout, seasons, episodes)):
            return worded_readings(with_date(found, day, title_start(words, layout)), text)
    if day:
        return dated_readings(words, layout, day)
    position = number_position(words, tags, layout, years, file=file)
    readings = bare_numbers.read(position)
    if stems and not PART_NUMBER_WORDS.isdisjoint(stems):
        readings += part_numbers.read(position)
    if not readings:
        return []
    # Fansub releases are always episodes.
    readings.append(NumberReading(None, 0.0 if layout.fansub else NO_NUMBERS))
    return sorted(readings, key=lambda reading: -reading.score)


def dated_readings(words: Words, layout: NameLayout, day: EpisodeNumbers) -> list[NumberReading]:
    dated = NumberReading(with_number_before_date(words, layout, day), WORDED)
    year_first = words.text[day.start : day.start + 4].isdigit()
    if year_first or not ONE_DIGIT.search(words.text, day.start, day.end):
        return [dated]
    return [dated, NumberReading(None, TITLE_LIKE_DATE)]


def title_start(words: Words, layout: NameLayout) -> int:
    return words.starts[layout.first] if layout.first < words.count else 0


def with_date(found: EpisodeNumbers, day: EpisodeNumbers | None, title: int) -> EpisodeNumbers:
    """Add an air date that the name has besides the numbers."""
    if not day or found.date or found.start <= day.start < found.end:
        return found
    # `[161025] Show - 05`: the date precedes the title.
    if day.end <= title <= found.start:
        return replace(found, date=day.date)
    start, end = min(found.start, day.start), max(found.end, day.end)
    near = day.start - found.end < NEAR if day.start > found.start else True
    return replace(found, date=day.date, start=start, end=end if near else found.end)


def worded_readings(found: EpisodeNumbers, text: str) -> list[NumberReading]:
    """`Cap.104` is the fourth episode of the first season, `Episode 104` more likely the 104th."""
    reading = NumberReading(found, WORDED)
    if found.seasons or not found.episodes or not all(100 < n < 3000 for n in found.episodes):
        return [reading]
    seasons = {number // 100 for number in found.episodes}
    numbers = tuple(number % 100 for number in found.episodes)
    if len(seasons) > 1 or not all(0 < number < 50 for number in numbers):
        return [reading]
    split = replace(found, seasons=(seasons.pop(),), episodes=numbers)
    short = text[found.start : found.start + 4].lower().lstrip("[(").startswith("cap")
    # `Cap 104` and `Cap. 104` without a bracket are rather the 104th chapter of a telenovela.
    after = text[found.start + 3 : found.start + 4]
    spaced = " " in text[found.start + 3 : found.start + 5]
    bracketed = text[max(0, found.start - 1)] in "[(" or text[found.start] in "[("
    short = short and not after.isalpha() and (bracketed or not spaced)
    return sorted(
        [reading, NumberReading(split, WORDED + (1 if short else -1))], key=lambda one: -one.score
    )


def season_of(text: str, stems: AbstractSet[str]) -> EpisodeNumbers | None:
    found = worded_numbers.seasons(text, stems)
    pack = sxxeyy.find_packs(text) if not PACK_STEMS.isdisjoint(stems) else None
    # `Quiet Harbour S02 Season 2` names the season twice; the title ends at the first one.
    if found and pack and pack.seasons == found.seasons and pack.start < found.start:
        return replace(found, start=pack.start)
    return found or pack


def number_position(
    words: Words, tags: list[ReleaseTag], layout: NameLayout, years: list[int], *, file: bool = True
) -> NumberPosition:
    known = bytearray(words.count)
    for tag in tags:
        first, kind = tag.first, tag.kind
        if kind != "format":
            for index in range(first, tag.last):
                known[index] = 1
        # `2.3GB` is two words; the first is not an episode.
        if kind == "measure" and first and tag.values == MEASURED:
            known[first - 1] |= words.gaps[first] in (".", " ", "-")
    has_year = bool(years) and years[-1] >= layout.first
    return NumberPosition(words, layout, known, has_year, file)


def with_number_before_date(
    words: Words, layout: NameLayout, day: EpisodeNumbers
) -> EpisodeNumbers:
    """`Quiet.Harbour.205.The.Storm.2010.11.23`: the number precedes the name and the date."""
    last = words.at(day.start) - 1
    if last > layout.first and words.lower[last] in BEFORE_DATE:
        last -= 1
    # `Quiet Harbour - 6321 - 12 Jan 2022`, `Quiet Harbour F7345 vom 12.09.2021`
    counted = COUNTED.match(words.lower[last]) if last > layout.first else None
    if counted and (counted[1] or " - " in words.gaps[last]):
        return replace(day, start=words.starts[last], episodes=(int(counted[2]),))
    for index in range(layout.first + 2, words.at(day.start) - 1):
        word = words.raw[index]
        if len(word) == 3 and word.isdecimal() and word[0] != "0" and word[1] < "5":
            season, episode = divmod(int(word), 100)
            return replace(day, start=words.starts[index], seasons=(season,), episodes=(episode,))
    return day


def combine(
    words: Words,
    tags: list[ReleaseTag],
    layout: NameLayout,
    seasons: EpisodeNumbers | None,
    episodes: EpisodeNumbers | None,
) -> EpisodeNumbers | None:
    if seasons and episodes:
        both = episodes.seasons or seasons.seasons
        episodes = without_season(episodes, both)
        start, end = min(seasons.start, episodes.start), max(seasons.end, episodes.end)
        first, second = sorted((seasons, episodes), key=lambda found: found.start)
        leads = words.at(first.start) <= layout.first
        between_span = between(words, tags, first.end, second.start) if leads else None
        return EpisodeNumbers("worded", start, end, both, episodes.episodes, between=between_span)
    if seasons and len(seasons.seasons) == 1:
        return with_following_episode(words, tags, layout, seasons)
    return seasons or episodes


def between(words: Words, tags: list[ReleaseTag], start: int, end: int) -> tuple[int, int] | None:
    known = {index for tag in tags for index in range(tag.first, tag.last)}
    inside = set(range(words.at(start), words.at(end))) - known
    return (start, end) if any(words.raw[index].isalpha() for index in inside) else None


def without_season(found: EpisodeNumbers, seasons: tuple[int, ...]) -> EpisodeNumbers:
    """`Temporada 4 [Cap.408]`: the episode number repeats the season."""
    if len(seasons) == 1 and seasons[0] and all(n // 100 == seasons[0] for n in found.episodes):
        return replace(found, episodes=tuple(number % 100 for number in found.episodes))
    return found


def with_following_episode(
    words: Words, tags: list[ReleaseTag], layout: NameLayout, seasons: EpisodeNumbers
) -> EpisodeNumbers:
    """Read an episode that follows its season without a word for it: `S2 - 09`, `Season 11 01`."""
    index = words.at(seasons.end)
    known = {tag.first for tag in tags}
    if words.lower[index : index + 1] == ["part"]:
        if part := with_part(words, layout, seasons, index + 1):
            return part
        index += 2
    elif words.lower[index : index + 1] and words.lower[index] in sport_rounds.WORDS:
        index += 1
    if index >= words.count or index in known or not words.raw[index][0].isdigit():
        return with_distant_episode(words, tags, layout, seasons)
    if counted := counted_numbers.count(words, [index]):
        return replace(counted, start=seasons.start, seasons=seasons.seasons)
    match = NUMBER.match(words.lower[index])
    if not match or len(match[1]) < 2 or looks_like_year(int(match[1])):
        return with_distant_episode(words, tags, layout, seasons)
    values = {index: int(match[1])}
    following = index + 1
    if following < words.count and (more := NUMBER.match(words.lower[following])):
        values[following] = int(more[1])
    found = build_numbers(number_position(words, tags, layout, []), "pack", index, values)
    # `Season 8 - 12` may also be five seasons.
    form: Form = seasons.form
    if seasons.form == "worded" and not layout.fansub and match[0][0] != "0":
        form = "pair"
    return EpisodeNumbers(form, seasons.start, found.end, seasons.seasons, found.episodes)


def with_part(
    words: Words, layout: NameLayout, seasons: EpisodeNumbers, index: int
) -> EpisodeNumbers | None:
    """`Series 4 Part 5` is an episode; `Season 4 Part 2` is half of a season."""
    digits = words.raw[index] if index < words.count else ""
    if layout.fansub or not digits.isdecimal() or not MOST_SEASON_PARTS < int(digits) < 100:
        return None
    return replace(seasons, end=words.ends[index], episodes=(int(digits),))


def with_distant_episode(
    words: Words, tags: list[ReleaseTag], layout: NameLayout, seasons: EpisodeNumbers
) -> EpisodeNumbers:
    """`[Group] Title Season 2 - Another Title - 05`, `第四季 Title [02]`: only in fansub names."""
    if not layout.fansub:
        return seasons
    position = number_position(words, tags, layout, [])
    found = bare_numbers.read_after(position, words.at(seasons.end))
    begin = words.at(seasons.start)
    if not found and begin < words.count and words.brackets[begin]:
        # `[Group] Title - 75 (Season 4)`
        found = bare_numbers.read_after(position, layout.first + 1, begin)
    if not found:
        return seasons
    # `[原題 第2季][Title][05]`: the season precedes the title.
    apart = seasons.end <= title_start(words, layout)
    start = found.start if apart else min(seasons.start, found.start)
    end = max(seasons.end, found.end)
    return EpisodeNumbers("worded", start, end, seasons.seasons, found.episodes)
