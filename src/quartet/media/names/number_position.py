"""The surroundings of a number that may be an episode, and the numbers listed with it."""

# ruff: noqa: RUF001 - letters and brackets of other scripts are meant.

import re

import msgspec

from quartet.media.names.name_layout import NameLayout
from quartet.media.names.numbers import EpisodeNumbers, Form, expand_range
from quartet.media.names.tables.numbering import SPECIALS
from quartet.media.names.words import BRACKET, Words

NUMBER = re.compile(r"(\d{1,5})[a-d]?(?:v\d)?$")
SPACED_DASH = re.compile(r"[\s._]+[-–—‒~]+[\s._]*[\[(]?$")
LIST_SIGNS = frozenset("-~–+&,")


class NumberPosition(msgspec.Struct, frozen=True, gc=False):
    words: Words
    layout: NameLayout
    # For each word, whether it is a release tag.
    known: bytearray
    has_year: bool
    # A file is one episode; a folder may contain several.
    file: bool

    def ends_at(self, index: int) -> bool:
        """Return True if the end, a bracket, a dash or a tag follows this word."""
        words = self.words
        if index + 1 >= words.count:
            return True
        gap = words.gaps[index + 1]
        if BRACKET.search(gap):
            return True
        # More numbers follow: `01-03 & 05-07`.
        if gap.strip(" ._") in ("&", "+") and words.raw[index + 1].isdigit():
            return True
        special = words.lower[index + 1] in SPECIALS
        return bool(self.known[index + 1]) or special or bool(SPACED_DASH.search(gap))


def build_numbers(
    position: NumberPosition, form: Form, index: int, values: dict[int, int]
) -> EpisodeNumbers:
    """Build the numbers with all that belong to the list: `01-12`, `01 ~ 12`, `103, 104`."""
    words = position.words
    found: tuple[int, ...] = (values[index],)
    last = index
    while (following := values.get(last + 1)) and following > found[-1]:
        gap = words.gaps[last + 1].strip(" _.v")
        opens = last == 0 and gap == "-" and len(words.raw[0]) == len(words.raw[1]) > 2
        if gap not in LIST_SIGNS or not (opens or gap == "&" or position.ends_at(last + 1)):
            break
        found += expand_range(found[-1], following)[1:] if gap in "-~–" else (following,)
        last += 1
    return EpisodeNumbers(form, words.starts[index], words.ends[last], (), found)


def looks_like_year(value: int) -> bool:
    return 1900 <= value <= 2099
