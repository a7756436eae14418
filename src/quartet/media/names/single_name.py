"""Parses one name of a file or a folder, without its context."""

import re
import unicodedata
from itertools import pairwise

import msgspec
from msgspec.structs import replace

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
    title_place,
    titles,
    years,
)
from quartet.media.names.numbers import EpisodeNumbers, Form, NumberReading
from quartet.media.names.tables.extensions import KNOWN, VIDEO
from quartet.media.names.tables.numbering import DISCS, PARTS, SPECIALS
from quartet.media.names.types import Guess, Ids, OtherReading, Parsed
from quartet.media.names.vocabulary import TagValue
from quartet.media.names.words import Words

# More readings of one name are of no use.
MOST_READINGS = 3
# Readings whose scores are lower by this much are not worth a question to the catalog.
CONCEIVABLE = 2.5
# File names have at most 255 bytes; longer input is cut.
LONGEST = 400
SERIES = TagValue("complete", "series")
COMPLETE = TagValue("complete", "")
DISC = TagValue("source", "BluRay")
# `1\u00d702`, and `1280 * 720`, which is not a season and an episode.
TIMES = re.compile(r"(?<=\d)\u00d7(?=\d)|(?<=\d{3})(?:\*| [xX*\u00d7] )(?=\d{3})")
# `HDTVx264` is two words.
GLUED = re.compile(r"[xXhH]26[45](?<=[^\W\d_]....)(?![^\W_])")
# `鬼灭之刃82` ends with the episode, but not `第82集`.
GLUED_TO_ASIAN = re.compile(
    r"(?<=[\u3041-\u30ff\u4e00-\u9fff\uac00-\ud7af])(?<![第全共제전즌ン])"
    r"(?=\d{2,3}(?:$|[\s.\[(])|[Ee][Pp]?\d{1,4}(?![^\W_]))"
    # `[01-24合集]` ends with a word for all episodes.
    r"|(?<=\d)(?=(?:TV)?(?:合集|全集|完))"
)
# `QuietHarbour05` and `QuietHarbour1124`, but not `Apollo13`.
GLUED_TO_TITLE = re.compile(r"(?:[A-Z][a-z]+){2,}(?=(?:0\d{1,2}|\d{3,4})$)")
# `Show vom 12.03.2020`
BEFORE_DATE = re.compile(r" (?:vom|from|van|du|del)$", re.I)
PART_WORDS = PARTS | DISCS
DIGITS = "0123456789"
PART = re.compile(rf"(?:{'|'.join(PART_WORDS)})[\s._-]?(\d{{1,2}})(?![^\W_])", re.I)


class Reading(msgspec.Struct, frozen=True, gc=False):
    """The parse of a single name, and what is needed to combine it with its folders."""

    parsed: Parsed
    form: Form | None
    # The title follows the numbers, so it may be the episode's title.
    title_after_numbers: bool
    # Whether the name contains release tags.
    has_tags: bool


class NameParts(msgspec.Struct, frozen=True, gc=False):
    words: Words
    tags: list[release_tags.ReleaseTag]
    layout: name_layout.NameLayout
    years: list[int]
    ids: Ids
    extension: str | None


def read_name(name: str) -> Reading:
    stem, extension = without_extension(name)
    text, ids = catalog_ids.take(normalize_name(stem))
    words = Words(text)
    tags = release_tags.find(words)
    layout = name_layout.read(words, tags)
    parts = NameParts(words, tags, layout, years.find(words), ids, extension)
    readings = episode_numbers.find(words, tags, layout, parts.years, file=extension is not None)
    best = build(parts, readings[0].numbers if readings else None)
    if len(readings) < 2:
        return best
    others = tuple(other_reading(parts, numbers) for numbers in different(readings))
    sure = confidence.among(best.parsed.kind.confidence, readings)
    kind = Guess(best.parsed.kind.value, sure)
    return replace(best, parsed=replace(best.parsed, kind=kind, other_readings=others))


def different(readings: list[NumberReading]) -> list[EpisodeNumbers | None]:
    """Return the readings after the first with other numbers, without repetitions."""
    seen = {numbers_of(readings[0].numbers)}
    found = []
    least = readings[0].score - CONCEIVABLE
    for reading in readings[1:]:
        if (key := numbers_of(reading.numbers)) not in seen and reading.score > least:
            seen.add(key)
            found.append(reading.numbers)
    return found[:MOST_READINGS]


def numbers_of(numbers: EpisodeNumbers | None) -> tuple[object, ...]:
    return (numbers.seasons, numbers.episodes, numbers.date) if numbers else ()


def other_reading(parts: NameParts, numbers: EpisodeNumbers | None) -> OtherReading:
    parsed = build(parts, numbers).parsed
    return OtherReading(
        parsed.kind.value, parsed.title, parsed.seasons, parsed.episodes, parsed.date
    )


def build(parts: NameParts, numbers: EpisodeNumbers | None) -> Reading:
    """Read the rest of the name, given its numbers."""
    words, layout, found_years = parts.words, parts.layout, parts.years
    leads = bool(found_years) and not numbers
    year_first = leads and years.year_leads(words, found_years, layout, parts.tags)
    if year_first:
        layout = replace(layout, first=layout.first + 1)
    year_at = years.choose(words, found_years, layout, parts.tags, numbers) if found_years else None
    boundary = title_boundary.read(words, parts.tags, layout, numbers, year_at)
    found, title_after_numbers = title_place.title_of(words, layout, boundary, numbers, year_at)
    bare = not boundary.tags and year_at is None
    title, country = without_additions(found.text, numbers, bare=bare)
    group = release_group.find(words, layout, boundary.tags)
    special = extras.is_extra(words, layout, year_at)
    release_info, first_values = release.collect_release(words, boundary.tags, group)
    year = int(words.lower[year_at][:4]) if year_at is not None else years.year_of_season(numbers)
    others = found.others
    if title and boundary.later_end:
        start = words.starts[layout.first]
        others = (*others, titles.clean(words.text[start : boundary.later_end]))
    if year_first:
        # The year may belong to the title after all.
        others = (*others, f"{year} {title}")
    if title and not numbers and (whole := title_place.with_bracket(words, layout, title)):
        others = (*others, whole)
    own_year = None if year_first else year
    series = special or ("complete" in first_values and is_series(boundary, own_year))
    kind = guess(numbers, title, own_year, boundary, title_after_numbers, series=series)
    parsed = Parsed(
        kind=doubted(kind, parts, numbers, title, boundary),
        title=title,
        other_titles=others,
        year=year,
        episode_title=title_place.episode_title(
            words, boundary, numbers, title_after_numbers, year_at
        ),
        country=country,
        seasons=numbers.seasons if numbers else (),
        episodes=numbers.episodes if numbers else (),
        absolute=absolute_of(numbers),
        date=numbers.date if numbers else None,
        part=part_of(words, boundary, first_values.get("disc")),
        special=special or is_special(words, numbers),
        edition=first_values.get("edition"),
        release=release_info,
        ids=parts.ids,
        sample="sample" in words.stems and is_sample(words),
        extension=parts.extension,
    )
    return Reading(
        parsed, numbers.form if numbers else None, title_after_numbers, bool(boundary.tags)
    )


def without_additions(
    title: str | None, numbers: EpisodeNumbers | None, *, bare: bool
) -> tuple[str | None, str | None]:
    """Return the title without the word before its date, and the country that followed it."""
    if title and numbers and numbers.date:
        title = BEFORE_DATE.sub("", title) or title
    if title and may_end_with_country(title, numbers, bare=bare):
        return titles.split_country(title)
    return title, None


def doubted(
    kind: Guess,
    parts: NameParts,
    numbers: EpisodeNumbers | None,
    title: str | None,
    boundary: title_boundary.TitleBoundary,
) -> Guess:
    """Lower the confidence if something in the name is unexplained."""
    unclear = (
        confidence.is_doubtful(parts.words, numbers, title)
        if numbers
        else confidence.is_doubtful_title(parts.words, title)
    )
    # One file is rarely a whole season.
    whole = parts.extension is not None and numbers and not (numbers.episodes or numbers.date)
    if unclear or whole or boundary.later_end:
        return Guess(kind.value, min(kind.confidence, confidence.DOUBTFUL))
    return kind


def normalize_name(name: str) -> str:
    text = name[:LONGEST]
    plain = text.isascii()
    if not plain:
        # Bytes that are not UTF-8 appear as lone surrogates, which JSON cannot contain.
        text = text.encode("utf-8", "replace").decode("utf-8")
        text = unicodedata.normalize("NFC", text)
        text = GLUED_TO_ASIAN.sub(" ", text)
    text = GLUED.sub(after_dot, text) if "26" in text else text
    if text.isalnum() and (glued := GLUED_TO_TITLE.match(text)):
        return f"{glued[0]} {text[glued.end() :]}"
    maybe = "*" in text or " x " in text or " X " in text or (not plain and "\u00d7" in text)
    return TIMES.sub("x", text) if maybe else text


def after_dot(match: re.Match[str]) -> str:
    return f".{match[0]}"


def without_extension(name: str) -> tuple[str, str | None]:
    stem, dot, extension = name.rpartition(".")
    lower = extension.lower()
    if dot and lower in KNOWN:
        return stem, lower
    stem, blank, extension = name.rpartition(" ")
    if blank and stem and extension.lower() in VIDEO:
        return stem, extension.lower()
    return name, None


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
    series: bool,
) -> Guess:
    if numbers:
        return Guess("episode", confidence.of_episode(numbers.form, title, title_after_numbers))
    if series:
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


def part_of(words: Words, boundary: title_boundary.TitleBoundary, disc: str | None) -> int | None:
    if disc:
        return int(disc)
    if PART_WORDS.isdisjoint(words.stems):
        return None
    match = PART.search(words.text, boundary.end)
    return int(match[1]) if match else None


def is_sample(words: Words) -> bool:
    return "sample" in words.lower[-2:] or words.lower[0] == "sample"


def is_special(words: Words, numbers: EpisodeNumbers | None) -> bool:
    if not numbers:
        return False
    if numbers.seasons == (0,):
        return True
    if SPECIALS.isdisjoint(words.stems):
        return False
    if numbers.seasons:
        return not SPECIALS.isdisjoint(words.lower)
    # `Title - OVA 2`, `Title SP01` and `Title - 14 OAD`, but not `Special A - 05`.
    first, behind = words.at(numbers.start), words.at(numbers.end)
    near = words.lower[max(0, first - 1) : behind + 1]
    return any(word.rstrip(DIGITS) in SPECIALS for word in near)
