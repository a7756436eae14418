"""Reads one name, of a file or of a folder, by itself."""

import re
import unicodedata
from itertools import pairwise
from typing import NamedTuple

from quartet.media.names import (
    area,
    confidence,
    extras,
    facts,
    groups,
    ids,
    layout,
    numbering,
    release,
    titles,
    years,
)
from quartet.media.names.numbers import Form, Numbers
from quartet.media.names.tables.extensions import KNOWN, VIDEO
from quartet.media.names.tables.numbering import DISCS, PARTS, SPECIALS
from quartet.media.names.types import Guess, Parsed
from quartet.media.names.vocabulary import Token
from quartet.media.names.words import Words

# A file name has at most 255 bytes; what is longer is nobody's name.
LONGEST = 400
SERIES = Token("complete", "series")
COMPLETE = Token("complete", "")
DISC = Token("source", "BluRay")
# `1\u00d702`, and `1280 * 720`, which is no multiplication of episodes.
TIMES = re.compile(r"(?<=\d)\u00d7(?=\d)|(?<=\d{3})(?:\*| [xX*\u00d7] )(?=\d{3})")
# `HDTVx264` is two words.
GLUED = re.compile(r"(?<=[^\W\d_])(?=[xh]26[45](?![^\W_]))", re.I)
PART_WORDS = PARTS | DISCS
PART = re.compile(rf"(?:{'|'.join(PART_WORDS)})[\s._-]?(\d{{1,2}})(?![^\W_])", re.I)


class Reading(NamedTuple):
    """A name by itself, and what its folders need to know to add to it."""

    parsed: Parsed
    form: Form | None
    # The title stands behind the numbers, so it may be that of the episode.
    behind: bool
    # Whether the name tells anything about the release.
    told: bool


class Found(NamedTuple):
    title: titles.Title
    behind: bool


def read_name(name: str) -> Reading:
    stem, extension = without_extension(name)
    text, found_ids = ids.take(prepared(stem))
    words = Words(text)
    all_facts = facts.find(words)
    shape = layout.read(words, all_facts)
    found_years = years.find(words)
    file = extension is not None
    numbers = numbering.find(words, all_facts, shape, found_years, file=file)
    year_first = not numbers and years.comes_first(words, found_years, shape, all_facts)
    if year_first:
        shape = shape._replace(first=shape.first + 1)
    year_at = years.choose(words, found_years, shape, all_facts, numbers) if found_years else None
    extent = area.read(words, all_facts, shape, numbers, year_at)
    (title, others), behind = title_of(words, shape, extent, numbers, year_at)
    bare = not extent.facts and year_at is None
    country = None
    if title and is_told_apart(title, numbers, bare=bare):
        title, country = titles.split_country(title)
    group = groups.find(words, shape, extent.facts)
    special = extras.is_extra(words, shape, year_at)
    told, edition = release.gather(words, extent.facts, group)
    year = int(words.lower[year_at][:4]) if year_at is not None else years.of_season(numbers)
    if title and extent.later_end:
        others = (*others, titles.clean(text[words.starts[shape.first] : extent.later_end]))
    if year_first:
        # It may belong to the title after all.
        others = (*others, f"{year} {title}")
    parsed = Parsed(
        kind=guess(numbers, title, None if year_first else year, extent, behind, special=special),
        title=title,
        other_titles=others,
        year=year,
        country=country,
        seasons=numbers.seasons if numbers else (),
        episodes=numbers.episodes if numbers else (),
        absolute=absolute_of(numbers),
        date=numbers.date if numbers else None,
        part=part_of(words, extent),
        special=special or is_special(words, numbers),
        edition=edition,
        release=told,
        ids=found_ids,
        sample="sample" in words.lower[-2:] or words.lower[:1] == ["sample"],
        extension=extension,
    )
    return Reading(parsed, numbers.form if numbers else None, behind, bool(extent.facts))


def prepared(name: str) -> str:
    text = name[:LONGEST]
    if not text.isascii():
        # Bytes that were no UTF-8 come as lone surrogates, which no answer can hold.
        text = text.encode("utf-8", "replace").decode("utf-8")
        text = unicodedata.normalize("NFC", text)
    text = GLUED.sub(".", text) if "26" in text else text
    maybe = "*" in text or " x " in text or " X " in text or "\u00d7" in text
    return TIMES.sub("x", text) if maybe else text


def without_extension(name: str) -> tuple[str, str | None]:
    stem, dot, extension = name.rpartition(".")
    lower = extension.lower()
    if dot and lower in KNOWN:
        return stem, lower
    stem, blank, extension = name.rpartition(" ")
    if blank and stem and extension.lower() in VIDEO:
        return stem, extension.lower()
    return name, None


def title_of(
    words: Words,
    shape: layout.Layout,
    extent: area.Area,
    numbers: Numbers | None,
    year_at: int | None,
) -> Found:
    if shape.first >= words.count:
        return Found(titles.Title(None), False)
    start = words.starts[shape.first]
    # `(500) Days of Summer`
    start -= shape.first == 0 and words.text[:1] == "("
    if not numbers or numbers.start > start or numbers.end <= start:
        behind = numbers is not None and numbers.end <= start
        return Found(titles.read(words.text[start : extent.end]), behind)
    if numbers.between:
        return Found(titles.read(words.text[slice(*numbers.between)]), True)
    # The numbers come first; what follows is all there is.
    begin = words.at(numbers.end)
    if begin >= words.count:
        return Found(titles.Title(None), True)
    stops = [fact.first for fact in extent.facts]
    stops += [] if year_at is None else [year_at]
    ends = [words.starts[stop] for stop in stops if stop >= begin]
    end = min(ends, default=shape.limit)
    # `003. Show - Name of the Episode`
    dash = words.text.find(" - ", words.starts[begin], end)
    end = dash if dash > 0 and words.text[numbers.end : numbers.end + 1] == "." else end
    return Found(titles.read(words.text[words.starts[begin] : end]), True)


def is_told_apart(title: str, numbers: Numbers | None, *, bare: bool) -> bool:
    """A country is no part of the title of a series, also where its folder says no more."""
    return numbers is not None or (bare and not title.isupper())


def guess(
    numbers: Numbers | None,
    title: str | None,
    year: int | None,
    extent: area.Area,
    behind: bool,
    *,
    special: bool,
) -> Guess:
    if numbers:
        return Guess("episode", confidence.of_episode(numbers.form, title, behind))
    if is_series(extent, year) or special:
        return Guess("episode", confidence.of_episode("pack", title, behind))
    sure = confidence.of_movie(title, year, bool(extent.facts))
    return Guess("movie" if sure else "unknown", sure)


def is_series(extent: area.Area, year: int | None) -> bool:
    """`COMPLETE BLURAY` is a whole disc, and `COMPLETE` alone a whole series."""
    for fact, following in pairwise([*extent.facts, None]):
        if fact and SERIES in fact.tokens:
            return True
        if fact and COMPLETE in fact.tokens and year is None and following:
            return DISC not in following.tokens or following.first != fact.last
    return False


def absolute_of(numbers: Numbers | None) -> int | None:
    if numbers and not numbers.seasons and numbers.episodes:
        return numbers.episodes[0]
    return None


def part_of(words: Words, extent: area.Area) -> int | None:
    for fact in extent.facts:
        if fact.tokens[0].kind == "disc":
            return int(fact.tokens[0].value)
    if PART_WORDS.isdisjoint(words.lower):
        return None
    match = PART.search(words.text, extent.end)
    return int(match[1]) if match else None


def is_special(words: Words, numbers: Numbers | None) -> bool:
    if not numbers:
        return False
    return numbers.seasons == (0,) or not SPECIALS.isdisjoint(words.lower)
