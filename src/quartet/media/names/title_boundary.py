"""Finds the release tags and where the title ends."""

import msgspec

from quartet.media.names.accepted_tags import AcceptedTags
from quartet.media.names.name_layout import NameLayout
from quartet.media.names.numbers import EpisodeNumbers
from quartet.media.names.release_tags import ReleaseTag
from quartet.media.names.title_end import title_end
from quartet.media.names.words import Words

TECHNICAL = frozenset(("source", "label", "hdr", "audio", "channels"))


class TitleBoundary(msgspec.Struct, frozen=True, gc=False):
    tags: list[ReleaseTag]
    # Offset in the text where the title ends.
    end: int
    # Where it ends if the first tag after it belongs to the title: `The Good German 2006`.
    later_end: int | None = None


def read(
    words: Words,
    tags: list[ReleaseTag],
    layout: NameLayout,
    numbers: EpisodeNumbers | None,
    year: int | None,
) -> TitleBoundary:
    if is_all_tags(words, tags):
        return TitleBoundary(tags, 0)
    accepted = tags if are_tags(words, tags, layout) else accept(words, tags, layout, numbers, year)
    end = title_end(words, accepted, layout, numbers, year)
    if year is None or end >= words.starts[year]:
        return TitleBoundary(accepted, end)
    place = words.at(end)
    cut = next((tag for tag in accepted if tag.first == place), None)
    return TitleBoundary(accepted, end, later_end(words, cut) if cut else None)


def are_tags(words: Words, tags: list[ReleaseTag], layout: NameLayout) -> bool:
    """Return True if all are certainly tags, which is so for most names."""
    strong = words.count
    for tag in tags:
        if tag.strong:
            strong = min(strong, tag.first) if tag.first >= layout.first else strong
        elif tag.first <= strong:
            return False
    return True


def accept(
    words: Words,
    tags: list[ReleaseTag],
    layout: NameLayout,
    numbers: EpisodeNumbers | None,
    year: int | None,
) -> list[ReleaseTag]:
    """Return those that are tags rather than words of the title."""
    behind = first_word_behind(words, layout, numbers, year)
    found = AcceptedTags(words, tags, layout, year, behind)
    found.accept_backwards(found.strong, found.is_plausible_after_title)
    if year is not None:
        found.accept_backwards(year, found.is_plausible_before_year)
        found.accept(year + 1, found.end_of_tags(year + 1))
        found.accept_sources(year + 1)
    if numbers:
        marker = words.at(numbers.start)
        found.accept_backwards(marker, found.is_plausible_before_numbers)
        after = found.end_of_tags(behind)
        if after >= found.strong or after in (words.count, year):
            found.accept(behind, after)
    if numbers or year is not None:
        least = max(words.at(numbers.start) if numbers else 0, year or 0)
        found.accept_backwards(words.count, lambda tag: tag.first > least)
    return [tag for tag in tags if tag.first in found.accepted]


def first_word_behind(
    words: Words, layout: NameLayout, numbers: EpisodeNumbers | None, year: int | None
) -> int:
    """Return the word with which the title of an episode may start."""
    if not numbers:
        return words.count if year is None else year + 1
    behind = words.at(numbers.end)
    # `2022.08.17 - Question Time Special`: the title of the series follows its date.
    return words.count if numbers.date and behind <= layout.first + 1 else behind


def later_end(words: Words, cut: ReleaseTag) -> int | None:
    word = words.raw[cut.first]
    spoken = cut.kind == "language" and not word.isupper()
    return words.ends[cut.last - 1] if spoken or word.lower() == "3d" else None


def is_all_tags(words: Words, tags: list[ReleaseTag]) -> bool:
    """`WEB.1080p` has no title. `Cat` is one, although it also stands for Catalan."""
    if not tags or tags[0].first or tags[-1].last != words.count:
        return False
    covered = sum(tag.last - tag.first for tag in tags if tag.kind != "format")
    return covered == words.count and (tags[0].strong or tags[0].kind in TECHNICAL)
