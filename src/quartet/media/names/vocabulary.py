"""Combines the tables into one lookup: first word -> following words -> meaning."""

from collections.abc import Mapping

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


class TagValue(msgspec.Struct, frozen=True, gc=False):
    kind: str
    value: str


class Spelling(msgspec.Struct, frozen=True, gc=False):
    """The words after the first one, and the meaning of all of them."""

    rest: tuple[str, ...]
    # The kind of the first value.
    kind: str
    values: tuple[TagValue, ...]
    # A strong word ends a title anywhere, a weak one only next to other tags.
    strong: bool


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


def build() -> dict[str, tuple[Spelling, ...]]:
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
    return {
        first: tuple(sorted(found, key=lambda spelling: -len(spelling.rest)))
        for first, found in index.items()
    }


INDEX = build()
