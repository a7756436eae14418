"""Extras of a series that have no episode number: specials, bonus videos, theme songs."""

import re

from quartet.media.names.name_layout import NameLayout
from quartet.media.names.number_position import SPACED_DASH
from quartet.media.names.tables.numbering import THEMES, VIDEO_ANIMATIONS
from quartet.media.names.words import Words

# `Show-x02-Making_of`. With `-f03-` before it, it is the bonus of a movie.
BONUS = re.compile(r"(?<=\w)-x\d\d(?=-|$)")
FILM = re.compile(r"-f\d\d-")


def is_extra(words: Words, layout: NameLayout, year_at: int | None) -> bool:
    if layout.fansub and (theme_at(words, layout) or not VIDEO_ANIMATIONS.isdisjoint(words.lower)):
        return True
    # A movie has a year.
    return is_bonus(words.text) if year_at is None else is_dated_special(words, year_at)


def is_dated_special(words: Words, year_at: int) -> bool:
    """`Some Show 2013 Christmas Special`, but not `Some Film 2004 Special Edition`."""
    if "special" not in words.stems or "special" not in words.lower[year_at:]:
        return False
    behind = words.lower.index("special", year_at) + 1
    return words.lower[behind : behind + 1] != ["edition"]


def is_bonus(text: str) -> bool:
    return "-x" in text and bool(BONUS.search(text)) and not FILM.search(text)


def theme_at(words: Words, layout: NameLayout) -> int | None:
    """Return where the title ends before a theme song: `[Group] Title - OP [1080p]`."""
    for index in range(layout.first + 1, words.count):
        if words.lower[index] in THEMES and SPACED_DASH.search(words.gaps[index]):
            after = words.gaps[index + 1]
            if index + 1 == words.count or "[" in after or "(" in after:
                return words.starts[index]
    return None
