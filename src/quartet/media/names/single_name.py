"""Parses one name of a file or a folder, without its context."""

import re
import unicodedata
from itertools import pairwise
from typing import NamedTuple

from quartet.media.names import (
    catalog_ids,
    confidence,
    episode_numbers,
    extras,
    name_layout,
    release,
    release_group,
    release_tags,
    title_boundary,
    titles,
    years,
)
from quartet.media.names.numbers import EpisodeNumbers, Form
from quartet.media.names.tables.extensions import KNOWN, VIDEO
from quartet.media.names.tables.numbering import DISCS, PARTS, SPECIALS
from quartet.media.names.types import Guess, Parsed
from quartet.media.names.vocabulary import TagValue
from quartet.media.names.words import Words

# File names have at most 255 bytes; longer input is cut.
LONGEST = 400
SERIES = TagValue("complete", "series")
COMPLETE = TagValue("complete", "")
DISC = TagValue("source", "BluRay")
# `1\u00d702`, and `1280 * 720`, which is not a season and an episode.
TIMES = re.compile(r"(?<=\d)\u00d7(?=\d)|(?<=\d{3})(?:\*| [xX*\u00d7] )(?=\d{3})")
# `HDTVx264` is two words.
GLUED = re.compile(r"(?<=[^\W\d_])(?=[xh]26[45](?![^\W_]))", re.I)
PART_WORDS = PARTS | DISCS
PART = re.compile(rf"(?:{'|'.join(PART_WORDS)})[\s._-]?(\d{{1,2}})(?![^\W_])", re.I)


class Reading(NamedTuple):
    """The parse of a single name, and what is needed to combine it with its folders."""

    parsed: Parsed
    form: Form | None
    # The title follows the numbers, so it may be the episode's title.
    title_after_numbers: bool
    # Whether the name contains release tags.
    has_tags: bool


class FoundTitle(NamedTuple):
    title: titles.Title
    title_after_numbers: bool


def read_name(name: str) -> Reading:
    stem, extension = without_extension(name)
    text, found_ids = catalog_ids.take(normalize_name(stem))
    words = Words(text)
    all_tags = release_tags.find(words)
    shape = name_layout.read(words, all_tags)
    found_years = years.find(words)
    file = extension is not None
    numbers = episode_numbers.find(words, all_tags, shape, found_years, file=file)
    year_first = not numbers and years.year_leads(words, found_years, shape, all_tags)
    if year_first:
        shape = shape._replace(first=shape.first + 1)
    year_at = years.choose(words, found_years, shape, all_tags, numbers) if found_years else None
    boundary = title_boundary.read(words, all_tags, shape, numbers, year_at)
    (title, others), title_after_numbers = title_of(words, shape, boundary, numbers, year_at)
    bare = not boundary.tags and year_at is None
    country = None
    if title and may_end_with_country(title, numbers, bare=bare):
        title, country = titles.split_country(title)
    group = release_group.find(words, shape, boundary.tags)
    special = extras.is_extra(words, shape, year_at)
    release_info, edition = release.collect_release(words, boundary.tags, group)
    year = int(words.lower[year_at][:4]) if year_at is not None else years.year_of_season(numbers)
    if title and boundary.later_end:
        others = (*others, titles.clean(text[words.starts[shape.first] : boundary.later_end]))
    if year_first:
        # The year may belong to the title after all.
        others = (*others, f"{year} {title}")
    parsed = Parsed(
        kind=guess(
            numbers,
            title,
            None if year_first else year,
            boundary,
            title_after_numbers,
            special=special,
        ),
        title=title,
        other_titles=others,
        year=year,
        country=country,
        seasons=numbers.seasons if numbers else (),
        episodes=numbers.episodes if numbers else (),
        absolute=absolute_of(numbers),
        date=numbers.date if numbers else None,
        part=part_of(words, boundary),
        special=special or is_special(words, numbers),
        edition=edition,
        release=release_info,
        ids=found_ids,
        sample="sample" in words.lower[-2:] or words.lower[:1] == ["sample"],
        extension=extension,
    )
    return Reading(
        parsed, numbers.form if numbers else None, title_after_numbers, bool(boundary.tags)
    )


def normalize_name(name: str) -> str:
    text = name[:LONGEST]
    if not text.isascii():
        # Bytes that are not UTF-8 appear as lone surrogates, which JSON cannot contain.
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
    shape: name_layout.NameLayout,
    boundary: title_boundary.TitleBoundary,
    numbers: EpisodeNumbers | None,
    year_at: int | None,
) -> FoundTitle:
    if shape.first >= words.count:
        return FoundTitle(titles.Title(None), False)
    start = words.starts[shape.first]
    # `(500) Days of Summer`
    start -= shape.first == 0 and words.text[:1] == "("
    if not numbers or numbers.start > start or numbers.end <= start:
        title_after_numbers = numbers is not None and numbers.end <= start
        return FoundTitle(titles.read(words.text[start : boundary.end]), title_after_numbers)
    if numbers.between:
        return FoundTitle(titles.read(words.text[slice(*numbers.between)]), True)
    # The numbers come first; use what follows.
    begin = words.at(numbers.end)
    if begin >= words.count:
        return FoundTitle(titles.Title(None), True)
    stops = [tag.first for tag in boundary.tags]
    stops += [] if year_at is None else [year_at]
    ends = [words.starts[stop] for stop in stops if stop >= begin]
    end = min(ends, default=shape.limit)
    # `003. Show - Name of the Episode`
    dash = words.text.find(" - ", words.starts[begin], end)
    end = dash if dash > 0 and words.text[numbers.end : numbers.end + 1] == "." else end
    return FoundTitle(titles.read(words.text[words.starts[begin] : end]), True)


def may_end_with_country(title: str, numbers: EpisodeNumbers | None, *, bare: bool) -> bool:
    """In the title of a series a country is separate, also in a folder that has only a title."""
    return numbers is not None or (bare and not title.isupper())


def guess(
    numbers: EpisodeNumbers | None,
    title: str | None,
    year: int | None,
    boundary: title_boundary.TitleBoundary,
    title_after_numbers: bool,
    *,
    special: bool,
) -> Guess:
    if numbers:
        return Guess("episode", confidence.of_episode(numbers.form, title, title_after_numbers))
    if is_series(boundary, year) or special:
        return Guess("episode", confidence.of_episode("pack", title, title_after_numbers))
    sure = confidence.of_movie(title, year, bool(boundary.tags))
    return Guess("movie" if sure else "unknown", sure)


def is_series(boundary: title_boundary.TitleBoundary, year: int | None) -> bool:
    """`COMPLETE BLURAY` is a full disc; `COMPLETE` alone is a full series."""
    for tag, following in pairwise([*boundary.tags, None]):
        if tag and SERIES in tag.values:
            return True
        if tag and COMPLETE in tag.values and year is None and following:
            return DISC not in following.values or following.first != tag.last
    return False


def absolute_of(numbers: EpisodeNumbers | None) -> int | None:
    if numbers and not numbers.seasons and numbers.episodes:
        return numbers.episodes[0]
    return None


def part_of(words: Words, boundary: title_boundary.TitleBoundary) -> int | None:
    for tag in boundary.tags:
        if tag.values[0].kind == "disc":
            return int(tag.values[0].value)
    if PART_WORDS.isdisjoint(words.lower):
        return None
    match = PART.search(words.text, boundary.end)
    return int(match[1]) if match else None


def is_special(words: Words, numbers: EpisodeNumbers | None) -> bool:
    if not numbers:
        return False
    return numbers.seasons == (0,) or not SPECIALS.isdisjoint(words.lower)
