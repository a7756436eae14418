"""Finds the offset where a title ends, given what follows it."""

import re

from quartet.media.names import extras
from quartet.media.names.name_layout import NameLayout
from quartet.media.names.numbers import EpisodeNumbers
from quartet.media.names.release_tags import VERSION_WORD as VERSION
from quartet.media.names.release_tags import ReleaseTag
from quartet.media.names.tables.numbering import PARTS, VIDEO_ANIMATIONS
from quartet.media.names.words import Words

# `Part 1 and Part 2`. A single part belongs to a movie's title.
SEVERAL_PARTS = re.compile(
    rf"(?<=[\s._])(?P<part>{'|'.join(PARTS)})[\s._]\w{{1,5}}[\s._](?:and|und|et|&|\+)"
    r"[\s._](?P=part)[\s._]\w",
    re.I,
)


def title_end(
    words: Words,
    accepted: list[ReleaseTag],
    layout: NameLayout,
    numbers: EpisodeNumbers | None,
    year: int | None,
) -> int:
    first, starts = layout.first, words.starts
    end = layout.limit
    start = starts[first] if first < words.count else end
    if numbers and start < numbers.start < end:
        end = numbers.start
    if year is not None and start < starts[year] < end:
        end = starts[year]
    if layout.fansub:
        found = (volume_at(words, layout), extras.theme_at(words, layout))
        end = min([end, *(place for place in found if place)])
    if not PARTS.isdisjoint(words.stems) and (parts := SEVERAL_PARTS.search(words.text)):
        end = min(end, parts.start())
    for tag in accepted:
        if tag.first > first:
            return min(end, starts[tag.first])
    return end


def volume_at(words: Words, layout: NameLayout) -> int | None:
    """Return where a volume or an OVA version starts: `Title Vol.3`, `Title ONA v2`.

    Only for fansub releases; elsewhere such words may belong to the title.
    """
    for index in range(layout.first + 1, words.count - 1):
        word, following = words.lower[index], words.lower[index + 1]
        if word == "vol" and following[0].isdigit():
            return words.starts[index]
        if word in VIDEO_ANIMATIONS and VERSION.match(following):
            return words.starts[index]
    return None
