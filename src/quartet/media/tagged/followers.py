"""Files of music and photos, and the files next to them that follow."""

from collections.abc import Iterable, Sequence

from quartet.media.naming.types import CompanionName
from quartet.media.roots.file_kinds import AUDIO, PHOTOS, RAW_PHOTOS, VIDEOS
from quartet.media.types import TaggedKind

_LYRICS = frozenset(("lrc", "cue"))
_SIDECARS = frozenset(("xmp", "aae", "thm"))
# The moving part of a live photo has the name of the photo.
_LIVE = frozenset(("mov", "mp4"))
_LIVE_PHOTOS = frozenset(("heic", "heif", "jpg", "jpeg"))
_COVERS = frozenset(("cover", "folder", "front", "albumart", "album"))
_PICTURES = frozenset(("jpg", "jpeg", "png", "webp"))


def is_tagged_file(kind: TaggedKind | None, name: str) -> bool:
    extension = _split(name)[1]
    if kind == "photos":
        return extension in PHOTOS or extension in VIDEOS
    return extension in AUDIO or is_cover(name)


def is_cover(name: str) -> bool:
    """Return True for the picture of an album."""
    stem, extension = _split(name)
    return stem.casefold() in _COVERS and extension in _PICTURES


def lyrics_of(names: Sequence[str]) -> dict[str, list[CompanionName]]:
    return _followers(
        [name for name in names if _split(name)[1] in AUDIO],
        [name for name in names if _split(name)[1] in _LYRICS],
    )


def sidecars_of(names: Sequence[str]) -> dict[str, list[CompanionName]]:
    """Return the edits and the moving part of each photo: `.xmp`, `.AAE`, live photos.

    With a RAW photo next to a JPEG, `.xmp` belongs to the RAW one and the rest to the JPEG.
    """
    photos = [name for name in names if _split(name)[1] in PHOTOS]
    raw = [name for name in photos if _split(name)[1] in RAW_PHOTOS]
    plain = [name for name in photos if name not in set(raw)]
    live = {_split(name)[0].casefold() for name in plain if _split(name)[1] in _LIVE_PHOTOS}
    videos = [name for name in names if _split(name)[1] in VIDEOS]
    moving = [
        name for name in videos if _split(name)[1] in _LIVE and _split(name)[0].casefold() in live
    ]
    owners = [*plain, *(name for name in videos if name not in set(moving))]
    sidecars = [name for name in names if _split(name)[1] in _SIDECARS]
    edits = [name for name in sidecars if name.lower().endswith(".xmp")]
    found = _followers([*raw, *owners], edits)
    rest = [*(name for name in sidecars if name not in set(edits)), *moving]
    for owner, some in _followers([*owners, *raw], rest).items():
        found.setdefault(owner, []).extend(some)
    return found


def _followers(owners: Sequence[str], names: Iterable[str]) -> dict[str, list[CompanionName]]:
    """Assign each name to its owner; earlier owners win. `a.jpg.xmp` and `a.xmp` follow `a.jpg`."""
    by_name = {name.casefold(): name for name in reversed(owners)}
    by_stem = {_split(name)[0].casefold(): name for name in reversed(owners)}
    found: dict[str, list[CompanionName]] = {}
    for name in names:
        stem, extension = _split(name)
        if owner := by_name.get(stem.casefold()):
            tail = f".{_split(owner)[1]}.{extension}"
        elif owner := by_stem.get(stem.casefold()):
            tail = f".{extension}"
        else:
            continue
        found.setdefault(owner, []).append(CompanionName(name, tail))
    return found


def _split(name: str) -> tuple[str, str]:
    stem, dot, extension = name.rpartition(".")
    return (stem, extension.lower()) if dot else (name, "")
