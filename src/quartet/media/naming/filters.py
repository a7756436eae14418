"""Filters of a template: `{n|lower}`, `{t|truncate:40}`, `{n|replace:' ':'.'}`."""

import re
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import NamedTuple

from quartet.media.naming.path_segments import graphemes
from quartet.media.naming.transliteration import to_ascii

_MOST_DIGITS = 10
# Also in German and French. `Die`, `La` and `Los` begin English titles as well.
_ARTICLE = re.compile(r"(the|an?|der|das|les)\s+(\S.*)", re.IGNORECASE)
_SMALL_WORDS = {"a", "an", "and", "at", "by", "for", "in", "of", "on", "or", "the", "to"}


class Filter(NamedTuple):
    """`arguments` has True for each argument that is a number."""

    apply: Callable[..., str]
    arguments: tuple[bool, ...] = ()


def title_case(text: str) -> str:
    """Capitalise words except small ones inside; existing capitals are kept."""
    words = text.split(" ")
    last = len(words) - 1
    return " ".join(
        word.lower()
        if word.lower() in _SMALL_WORDS and 0 < place < last
        else word[:1].upper() + word[1:]
        for place, word in enumerate(words)
    )


def sort_title(text: str) -> str:
    """`The Thing` becomes `Thing, The`, as media servers sort it."""
    found = _ARTICLE.fullmatch(text)
    return f"{found[2]}, {found[1]}" if found else text


def _pad(digits: int, text: str) -> str:
    return text.zfill(min(digits, _MOST_DIGITS))


def _truncate(length: int, text: str) -> str:
    return "".join(graphemes(text)[:length]).rstrip()


FILTERS: Mapping[str, Filter] = {
    "lower": Filter(str.lower),
    "upper": Filter(str.upper),
    "title": Filter(title_case),
    "trim": Filter(str.strip),
    "replace": Filter(lambda old, new, text: text.replace(old, new), (False, False)),
    "default": Filter(lambda other, text: text or other, (False,)),
    "pad": Filter(_pad, (True,)),
    "truncate": Filter(_truncate, (True,)),
    "ascii": Filter(to_ascii),
    "space": Filter(lambda character, text: re.sub(r"\s+", lambda _: character, text), (False,)),
    "sort": Filter(sort_title),
    # To sort `The Thing` into T and `9-1-1` into 9.
    "first": Filter(lambda text: "".join(graphemes(text)[:1]).upper()),
}


def bind_arguments(known: Filter, given: Sequence[str]) -> Callable[[str], str] | None:
    """Return the filter with its arguments bound; None if they are invalid."""
    if len(given) != len(known.arguments):
        return None
    arguments: list[str | int] = []
    for text, is_number in zip(given, known.arguments, strict=True):
        if is_number and not re.fullmatch(r"[0-9]{1,4}", text.strip()):
            return None
        arguments.append(int(text) if is_number else text)
    if known is FILTERS["replace"] and not arguments[0]:
        return None
    return partial(known.apply, *arguments)
