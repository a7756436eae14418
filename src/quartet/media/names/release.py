"""Gathers the facts of a release."""

from quartet.media.names.facts import Fact
from quartet.media.names.tables.languages import SUBTITLE_WORDS
from quartet.media.names.types import Release
from quartet.media.names.words import Words

# What Atmos is a part of.
CARRIERS = ("TrueHD", "DD+")


def gather(words: Words, facts: list[Fact], group: str | None) -> tuple[Release, str | None]:
    """The release, and the edition."""
    first: dict[str, str] = {}
    languages: list[str] = []
    flags: set[str] = set()
    for fact in facts:
        for kind, value in fact.tokens:
            if kind == "code" and words.raw[fact.first] == group:
                continue
            if kind in ("language", "code"):
                if not of_subtitles(words, fact) and value not in languages:
                    languages.append(value)
            elif kind == "flag":
                flags.add(value)
            elif kind == "resolution" or value == "Remux":
                first[kind] = value
            else:
                first.setdefault(kind, value)
    audio = audio_codecs(facts)
    release = Release(
        resolution=first.get("resolution") or first.get("frame") or first.get("label"),
        source=first.get("source"),
        video_codec=first.get("video") or first.get("container"),
        audio_codec=audio[0] if audio else None,
        other_audio_codecs=tuple(audio[1:]),
        audio_channels=first.get("channels"),
        hdr=first.get("hdr"),
        group=group,
        languages=tuple(languages),
        dubbed="dubbed" in flags,
        proper="proper" in flags,
        repack="repack" in flags,
    )
    return release, first.get("edition")


def audio_codecs(facts: list[Fact]) -> list[str]:
    """`TrueHD.7.1.Atmos`: Atmos is told apart from the codec that carries it."""
    named = (value for fact in facts for kind, value in fact.tokens if kind == "audio")
    found = list(dict.fromkeys(named))
    if "Atmos" in found and (carrier := next((one for one in found if one in CARRIERS), None)):
        found[found.index(carrier)] = f"{carrier} Atmos"
        found.remove("Atmos")
    return found


def of_subtitles(words: Words, fact: Fact) -> bool:
    before = words.lower[fact.first - 1] if fact.first else ""
    after = words.lower[fact.last] if fact.last < words.count else ""
    return after in SUBTITLE_WORDS or before in SUBTITLE_WORDS
