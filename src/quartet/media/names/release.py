"""Collects the release tags of a name."""

from quartet.media.names.release_tags import ReleaseTag
from quartet.media.names.tables.languages import SUBTITLE_WORDS
from quartet.media.names.types import Release
from quartet.media.names.words import Words

# Codecs that can carry Atmos.
ATMOS_CARRIERS = ("TrueHD", "DD+")
# Kinds whose first value counts.
PLAIN_KINDS = frozenset(
    (
        "source",
        "video",
        "container",
        "frame",
        "label",
        "channels",
        "hdr",
        "edition",
        "disc",
        "complete",
    )
)


def collect_release(
    words: Words, tags: list[ReleaseTag], group: str | None
) -> tuple[Release, dict[str, str]]:
    """Return the release, and the first value of each kind of tag."""
    first: dict[str, str] = {}
    languages: list[str] = []
    flags: set[str] = set()
    audio: dict[str, None] = {}
    for tag in tags:
        for kind, value in tag.values:
            if kind in PLAIN_KINDS and value != "Remux":
                first.setdefault(kind, value)
            elif kind == "audio":
                audio[value] = None
            elif kind in ("language", "code"):
                if is_spoken(words, tag, group) and value not in languages:
                    languages.append(value)
            elif kind == "flag":
                flags.add(value)
            elif kind == "resolution" and not is_written(words, tag):
                # `1080p.UHD.BluRay`: the source suggests a resolution only if none is written.
                first.setdefault("suggested", value)
            elif kind == "resolution" or value == "Remux":
                first[kind] = value
    codecs = with_atmos(list(audio)) if audio else []
    value_of = first.get
    release = Release(
        resolution=value_of("resolution")
        or value_of("frame")
        or value_of("suggested")
        or value_of("label"),
        source=value_of("source"),
        video_codec=value_of("video") or value_of("container"),
        audio_codec=codecs[0] if codecs else None,
        other_audio_codecs=tuple(codecs[1:]),
        audio_channels=value_of("channels"),
        hdr=value_of("hdr"),
        group=group,
        languages=tuple(languages),
        dubbed="dubbed" in flags,
        proper="proper" in flags,
        repack="repack" in flags,
    )
    return release, first


def is_written(words: Words, tag: ReleaseTag) -> bool:
    """Return True for `1080p`, and False for words such as `UHD BluRay` and `FullHD`."""
    if tag.last - tag.first == 1:
        return not words.lower[tag.first].isalpha()
    return not all(word.isalpha() for word in words.lower[tag.first : tag.last])


def with_atmos(found: list[str]) -> list[str]:
    """`TrueHD.7.1.Atmos`: join Atmos with the codec that carries it."""
    if "Atmos" in found and (
        carrier := next((one for one in found if one in ATMOS_CARRIERS), None)
    ):
        found[found.index(carrier)] = f"{carrier} Atmos"
        found.remove("Atmos")
    return found


def is_spoken(words: Words, tag: ReleaseTag, group: str | None) -> bool:
    """Return False for the language of subtitles, and for a group that looks like a code."""
    if tag.kind == "code" and words.raw[tag.first] == group:
        return False
    before = words.lower[tag.first - 1] if tag.first else ""
    after = words.lower[tag.last] if tag.last < words.count else ""
    return after not in SUBTITLE_WORDS and before not in SUBTITLE_WORDS
