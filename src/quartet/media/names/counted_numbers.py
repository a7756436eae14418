"""Numbers with a count or a kind: `3of6`, `1-3 of 6`, `OVA2`, `CD2 of 3`."""

# ruff: noqa: RUF001 - signs of other scripts are meant.

import re

from quartet.media.names.number_position import NumberPosition
from quartet.media.names.numbers import MOST, EpisodeNumbers, expand_range
from quartet.media.names.tables.numbering import OF, PARTS
from quartet.media.names.words import Words

COUNT = re.compile(r"(\d{1,3})(?:of|iz|из)(\d{1,3})$")
DISC_OF = re.compile(r"(?<![^\W_])(?:cd|dis[ck]|dvd)[\s._]?(\d)[\s._]of[\s._]\d(?![^\W_])", re.I)
SPECIAL = re.compile(r"(ova|oad|ona|sp|special|nced|ncop|ed|op|ex)(\d{1,2})[a-d]?(?:v\d)?$")


def read(position: NumberPosition, mixed: list[int]) -> EpisodeNumbers | None:
    """`mixed` are the places of the words with digits."""
    words = position.words
    return count(words, mixed) or special(position, mixed) or disc(words)


def special(position: NumberPosition, mixed: list[int]) -> EpisodeNumbers | None:
    """Read `OVA2`, `SP01` and numbered theme songs of fansubs. An OVA is part of the title."""
    words = position.words
    for index in mixed:
        word = words.lower[index]
        match = None if word.isdigit() else SPECIAL.match(word)
        if match and index > position.layout.first:
            own_title = match[1] in ("ova", "oad", "ona")
            start = words.starts[index] + (len(match[1]) if own_title else 0)
            return EpisodeNumbers("absolute", start, words.ends[index], (), (int(match[2]),))
    return None


def count(words: Words, mixed: list[int]) -> EpisodeNumbers | None:
    """Read `3of6`, `3 of 6` and `1-3 of 6`."""
    lower = words.lower
    for index in mixed:
        end = index
        number = lower[index].isdigit()
        if not number and (match := COUNT.match(lower[index])):
            last = int(match[1])
        elif number and index + 2 in mixed and lower[index + 1] in OF:
            end = index + 2
            if not (lower[index].isdecimal() and lower[end].isdecimal()):
                continue
            last = int(lower[index])
            if not last <= int(lower[end]) <= MOST:
                continue
        else:
            continue
        begin, found = counted_from(words, index, last)
        return EpisodeNumbers("count", words.starts[begin], words.ends[end], (), found)
    return None


def counted_from(words: Words, index: int, last: int) -> tuple[int, tuple[int, ...]]:
    """Return the place of the first number and all numbers of `1-3 of 6`."""
    before = words.lower[index - 1] if index else ""
    ranged = before.isdecimal() and words.gaps[index].strip() in ("-", "–")
    if ranged and 0 < int(before) < last:
        return index - 1, expand_range(int(before), last)
    # `Part 2 of 4`
    return (index - 1 if before in PARTS or before == "del" else index), (last,)


def disc(words: Words) -> EpisodeNumbers | None:
    """`Some Miniseries CD2 of 3`. A disc of a movie is a part instead."""
    if "miniseries" not in words.lower:
        return None
    match = DISC_OF.search(words.text)
    return (
        EpisodeNumbers("count", match.start(), match.end(), (), (int(match[1]),)) if match else None
    )
