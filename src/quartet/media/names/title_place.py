"""Takes the titles out of a name: that of the movie or series, and that of the episode."""

import re
from bisect import bisect_left

from msgspec.structs import replace

from quartet.media.names import titles
from quartet.media.names.name_layout import NameLayout
from quartet.media.names.numbers import EpisodeNumbers
from quartet.media.names.title_boundary import TitleBoundary
from quartet.media.names.words import Words

CLOSING = "])"
# A year, a bracket, or the beginning of one that ends with a tag.
BRACKETED = re.compile(r"[\s._]*(?:\{|(?:\[[^\]]*(?:\]|$)|\((?:19|20)\d\d[^)]*\))[\s._[(-]*$)")
# File names cannot contain the colon of `12:00 A.M.`.
TIME = re.compile(r"(?<!\d)(\d{1,2})[ ._;-](?=[0-5]\d[ ._]?[ap]\.?[ ._]?m(?![^\W_]))", re.I)


def title_of(
    words: Words,
    shape: NameLayout,
    boundary: TitleBoundary,
    numbers: EpisodeNumbers | None,
    year_at: int | None,
) -> tuple[titles.Title, bool]:
    """Return the title, and whether it follows the numbers."""
    if shape.first >= words.count:
        return titles.Title(None), False
    start = words.starts[shape.first]
    # `(500) Days of Summer`
    start -= shape.first == 0 and words.text[:1] == "("
    if not numbers or numbers.start > start or numbers.end <= start:
        if numbers is not None and numbers.end <= start:
            return title_before_dash(words.text, start, boundary.end), True
        return titles.read(words.text[start : boundary.end]), False
    if numbers.between:
        return titles.read(words.text[slice(*numbers.between)]), True
    # The numbers come first; use what follows.
    begin = words.at(numbers.end)
    if begin >= words.count:
        return titles.Title(None), True
    stops = [tag.first for tag in boundary.tags]
    stops += [] if year_at is None else [year_at]
    ends = [words.starts[stop] for stop in stops if stop >= begin]
    end = min(ends, default=shape.limit)
    return title_before_dash(words.text, words.starts[begin], end), True


def with_bracket(words: Words, layout: NameLayout, title: str) -> str | None:
    """`[REC] 3 Genesis (2012)`: the bracket may be a group, or what the number belongs to."""
    if not (layout.tagged and words.spans and title[0].isdigit()):
        return None
    start, end = words.spans[0]
    return f"{words.text[start:end].strip('[]()')} {title}"


def title_before_dash(text: str, start: int, end: int) -> titles.Title:
    """`S01E02 - Show - Name of the Episode`: the whole is kept as another title."""
    whole = titles.read(text[start:end])
    dash = text.find(" - ", start, end)
    if dash < 0:
        return whole
    title = titles.read(text[start:dash])
    return replace(title, others=(*title.others, whole.text)) if whole.text else title


def episode_title(
    words: Words,
    boundary: TitleBoundary,
    numbers: EpisodeNumbers | None,
    title_after_numbers: bool,
    year_at: int | None,
) -> str | None:
    """Return what is between the numbers, or the year if there are none, and the next tag."""
    if title_after_numbers or (numbers is None and year_at is None):
        return None
    begin = words.at(numbers.end) if numbers else (year_at or 0) + 1
    first = words.count
    if begin >= first:
        return None
    for tag in boundary.tags:
        if tag.first >= begin:
            first = tag.first
            break
    if first <= begin:
        return None
    start = numbers.end if numbers else words.ends[begin - 1]
    end = words.starts[first] if first < words.count else len(words.text)
    # `Show [1x05] The Storm`, but nothing from other brackets: `Show [1x05] [ru] (2010)`.
    if closed := words.text[start] in CLOSING:
        start += 1
    if closed and BRACKETED.match(words.text, start, end):
        return None
    title = titles.clean(words.text[start:end])
    numbered = bisect_left(words.mixed, begin) < bisect_left(words.mixed, first)
    return (TIME.sub(r"\1:", title) if numbered else title) or None
