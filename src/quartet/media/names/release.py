"""Collects the release tags of a name."""

from quartet.media.names.release_tags import ReleaseTag
from quartet.media.names.tables.languages import SUBTITLE_WORDS
from quartet.media.names.types import Release
from quartet.media.names.words import Words

# Codecs that can carry Atmos.
ATMOS_CARRIERS = ("TrueHD", "DD+")


def collect_release(
    words: Words, tags: list[ReleaseTag], group: str | None
) -> tuple[Release, str | None]:
    """Return the release and the edition."""
    first: dict[str, str] = {}
    languages: list[str] = []
    flags: set[str] = set()
    for tag in tags:
        for kind, value in tag.values:
            if kind == "code" and words.raw[tag.first] == group:
                continue
            if kind in ("language", "code"):
                if not is_subtitle_language(words, tag) and value not in languages:
                    languages.append(value)
            elif kind == "flag":
                flags.add(value)
            elif kind == "resolution" and not is_written(words, tag):
                # `1080p.UHD.BluRay`: the source suggests a resolution only if none is written.
                first.setdefault("suggested", value)
            elif kind == "resolution" or value == "Remux":
                first[kind] = value
            else:
                first.setdefault(kind, value)
    audio = audio_codecs(tags)
    release = Release(
        resolution=first.get("resolution")
        or first.get("frame")
        or first.get("suggested")
        or first.get("label"),
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


def is_written(words: Words, tag: ReleaseTag) -> bool:
    """Return True for `1080p`, and False for words such as `UHD BluRay` and `FullHD`."""
    return any(
        character.isdigit() for word in words.lower[tag.first : tag.last] for character in word
    )


def audio_codecs(tags: list[ReleaseTag]) -> list[str]:
    """`TrueHD.7.1.Atmos`: join Atmos with the codec that carries it."""
    named = (value for tag in tags for kind, value in tag.values if kind == "audio")
    found = list(dict.fromkeys(named))
    if "Atmos" in found and (
        carrier := next((one for one in found if one in ATMOS_CARRIERS), None)
    ):
        found[found.index(carrier)] = f"{carrier} Atmos"
        found.remove("Atmos")
    return found


def is_subtitle_language(words: Words, tag: ReleaseTag) -> bool:
    before = words.lower[tag.first - 1] if tag.first else ""
    after = words.lower[tag.last] if tag.last < words.count else ""
    return after in SUBTITLE_WORDS or before in SUBTITLE_WORDS
