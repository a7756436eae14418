"""Where a number stands that may be an episode, and the numbers listed with it."""

# ruff: noqa: RUF001 - letters and brackets of other scripts are meant.

import re
from typing import NamedTuple

from quartet.media.names.layout import Layout
from quartet.media.names.numbers import Form, Numbers, spread
from quartet.media.names.tables.numbering import SPECIALS
from quartet.media.names.words import Words

NUMBER = re.compile(r"(\d{1,4})[a-d]?(?:v\d)?$")
SPACED_DASH = re.compile(r"[\s._]+[-–—‒~]+[\s._]*[\[(]?$")
LIST_SIGNS = frozenset("-~–+&,")


class Place(NamedTuple):
    words: Words
    layout: Layout
    # For each word whether it is a fact of the release.
    known: bytearray
    dated: bool
    # A file is one episode, a folder may have several.
    file: bool

    def closes(self, index: int) -> bool:
        """Whether after this word comes the end, a bracket, a dash or a fact."""
        words = self.words
        if index + 1 >= words.count:
            return True
        gap = words.gap_after(index)
        if "[" in gap or "(" in gap or "【" in gap or "]" in gap or ")" in gap or "（" in gap:
            return True
        # More numbers are listed: `01-03 & 05-07`.
        if gap.strip(" ._") in ("&", "+") and words.raw[index + 1].isdigit():
            return True
        special = words.lower[index + 1] in SPECIALS
        return bool(self.known[index + 1]) or special or bool(SPACED_DASH.search(gap))


def made(place: Place, form: Form, index: int, values: dict[int, int]) -> Numbers:
    """With every further number that belongs to it: `01-12`, `01 ~ 12`, `103, 104`."""
    words = place.words
    found: tuple[int, ...] = (values[index],)
    last = index
    while (following := values.get(last + 1)) and following > found[-1]:
        gap = words.gap_after(last).strip(" _.v")
        opens = last == 0 and gap == "-" and len(words.raw[0]) == len(words.raw[1]) > 2
        if gap not in LIST_SIGNS or not (opens or gap == "&" or place.closes(last + 1)):
            break
        found += spread(found[-1], following)[1:] if gap in "-~–" else (following,)
        last += 1
    return Numbers(form, words.starts[index], words.ends[last], (), found)


def looks_like_year(value: int) -> bool:
    return 1900 <= value <= 2099
