"""Combines the tables into one lookup: first word -> following words -> meaning."""

from collections.abc import Mapping
from typing import NamedTuple

import msgspec

from quartet.media.names.tables import (
    codecs,
    editions,
    flags,
    hdr,
    languages,
    noise,
    resolutions,
    services,
    sources,
)


class TagValue(NamedTuple):
    kind: str
    value: str


class Spelling(msgspec.Struct, frozen=True, gc=False):
    """A tag, and the words after the first one."""

    rest: tuple[str, ...]
    # The kind of the first value.
    kind: str
    values: tuple[TagValue, ...]
    # A strong word ends a title anywhere, a weak one only next to other tags.
    strong: bool


class FirstWord(msgspec.Struct, frozen=True, gc=False):
    """The tags that begin with a word."""

    # The tag that consists of this word only.
    alone: Spelling | None
    # The others by their second word, the longest first.
    longer: dict[str, tuple[Spelling, ...]]


STRONG: tuple[tuple[str, Mapping[str, str]], ...] = (
    ("resolution", resolutions.STRONG),
    ("source", sources.STRONG),
    ("video", codecs.VIDEO_STRONG),
    ("container", codecs.VIDEO_CONTAINERS),
    ("audio", codecs.AUDIO_STRONG),
    ("hdr", hdr.STRONG),
    ("complete", {"whole": noise.COLLECTIONS}),
    ("noise", {"": noise.STRONG, "subtitles": noise.SUBTITLES}),
)
WEAK: tuple[tuple[str, Mapping[str, str]], ...] = (
    ("label", resolutions.WEAK),
    ("source", sources.WEAK),
    ("audio", codecs.AUDIO_WEAK),
    ("channels", codecs.CHANNELS_WEAK),
    ("hdr", hdr.WEAK),
    ("edition", editions.WEAK),
    ("flag", flags.WEAK),
    ("language", languages.WORDS),
    ("complete", {"": noise.COMPLETE, "whole": noise.WHOLE, "series": noise.SERIES}),
    ("service", {"": services.WEAK}),
    ("format", {"": noise.FORMAT}),
    ("ending", {"": noise.ENDING}),
    ("measure", {"": noise.MEASURES}),
    ("noise", {"": noise.WEAK}),
)


def build() -> dict[str, FirstWord]:
    meanings: dict[tuple[str, ...], tuple[list[TagValue], list[bool]]] = {}
    for tables, strong in ((STRONG, True), (WEAK, False)):
        for kind, table in tables:
            for value, spellings in table.items():
                for spelling in spellings.split(","):
                    values, strengths = meanings.setdefault(tuple(spelling.split()), ([], []))
                    values.append(TagValue(kind, value))
                    strengths.append(strong)
    index: dict[str, list[Spelling]] = {}
    for words, (values, strengths) in meanings.items():
        index.setdefault(words[0], []).append(
            Spelling(words[1:], values[0].kind, tuple(values), any(strengths))
        )
    return {first: first_word(found) for first, found in index.items()}


def first_word(found: list[Spelling]) -> FirstWord:
    alone = next((spelling for spelling in found if not spelling.rest), None)
    longer: dict[str, tuple[Spelling, ...]] = {}
    for spelling in sorted(found, key=lambda spelling: -len(spelling.rest)):
        if spelling.rest:
            longer[spelling.rest[0]] = (*longer.get(spelling.rest[0], ()), spelling)
    return FirstWord(alone, longer)


INDEX = build()
