"""Finds the companion files of a video, and the part of their names to keep."""

import re
from collections import Counter
from collections.abc import Iterable
from pathlib import PurePosixPath

from quartet.media.naming.subtitle_languages import subtitle_tags
from quartet.media.naming.types import CompanionName
from quartet.media.roots.file_kinds import SUBTITLE_FOLDERS, SUBTITLES, VIDEOS

_PICTURES = frozenset({"jpg", "jpeg", "png", "webp"})
_OTHERS = frozenset({"nfo", "txt", "xml"})
_COMPANIONS = SUBTITLES | _PICTURES | _OTHERS
_ARTWORK = re.compile(
    r"-(poster|fanart|thumb|banner|landscape|clearlogo|clearart|logo|disc)\d*", re.IGNORECASE
)
# Names without a video's stem; they belong to the only video in the folder.
_GENERIC = {
    "poster": "-poster", "folder": "-poster", "cover": "-poster", "fanart": "-fanart",
    "backdrop": "-fanart", "banner": "-banner", "landscape": "-landscape", "logo": "-clearlogo",
    "clearlogo": "-clearlogo", "movie": "",
}  # fmt: skip
_EPISODE = re.compile(r"s\d{1,4}\W?e\d|\d{1,3}x\d{2}", re.IGNORECASE)
_LONGEST_TAIL = 60  # bytes


def companions(video: str, siblings: Iterable[str]) -> list[CompanionName]:
    """Return the companion files of `video`; all paths are relative to one folder.

    Tails are unique, and the two files of one subtitle share theirs.
    """
    path = PurePosixPath(video)
    others = [PurePosixPath(name) for name in siblings if name != video]
    near = [other for other in others if other.parent == path.parent]
    videos = [other.stem for other in near if _extension(other) in VIDEOS]
    tags: dict[PurePosixPath, str] = {}
    for other in others:
        if _extension(other) in _COMPANIONS:
            tag = _tag(path, other, videos)
            if tag is not None:
                tags[other] = tag
    return _numbered(tags)


def _tag(video: PurePosixPath, other: PurePosixPath, videos: list[str]) -> str | None:
    """Return what is between the video's stem and the extension; None if it is not a companion."""
    if other.parent == video.parent:
        return _tag_in_same_folder(video, other, videos)
    if _extension(other) in SUBTITLES:
        return _tag_in_subfolder(video, other, alone=not videos)
    return None


def _tag_in_same_folder(
    video: PurePosixPath, other: PurePosixPath, videos: list[str]
) -> str | None:
    if _has_stem(other.stem, video.stem):
        # `Show.Extended.srt` belongs to `Show.Extended.mkv`, not to `Show.mkv`.
        if any(len(stem) > len(video.stem) and _has_stem(other.stem, stem) for stem in videos):
            return None
        return _short_tag(other.stem[len(video.stem) :])
    if not videos and _extension(other) in _PICTURES | {"nfo"}:
        tag = _GENERIC.get(other.stem.casefold())
        return None if tag == "" and _extension(other) != "nfo" else tag
    return None


def _tag_in_subfolder(video: PurePosixPath, other: PurePosixPath, *, alone: bool) -> str | None:
    """`Subs/2_English.srt`, `Subs/Name.en.srt` and `Subs/Name/2_English.srt`."""
    try:
        folders = other.parent.relative_to(video.parent).parts
    except ValueError:
        return None
    if not 1 <= len(folders) <= 2 or folders[0].casefold() not in SUBTITLE_FOLDERS:
        return None
    if _has_stem(other.stem, video.stem):
        return _short_tag(other.stem[len(video.stem) :])
    own_folder = len(folders) == 2 and folders[1].casefold() == video.stem.casefold()
    if own_folder or (alone and len(folders) == 1):
        return subtitle_tags(other.stem)
    return None


def _has_stem(name: str, stem: str) -> bool:
    if name[: len(stem)].casefold() != stem.casefold():
        return False
    rest = name[len(stem) :]
    if _ARTWORK.fullmatch(rest):
        return True
    return (not rest or rest[0] == ".") and not _EPISODE.search(rest)


def _short_tag(tag: str) -> str:
    return tag if len(tag.encode("utf-8", "replace")) <= _LONGEST_TAIL else ""


def _extension(path: PurePosixPath) -> str:
    return path.suffix[1:].casefold()


def _numbered(tags: dict[PurePosixPath, str]) -> list[CompanionName]:
    """Files that differ only in their extension form a group and share a tag."""
    groups: dict[tuple[PurePosixPath, int], list[PurePosixPath]] = {}
    seen: Counter[tuple[PurePosixPath, str]] = Counter()
    for path in sorted(tags):
        # `a.srt` next to `a.SRT` is a second subtitle, not the other file of the first.
        twin = (path.with_suffix(""), path.suffix.casefold())
        groups.setdefault((twin[0], seen[twin]), []).append(path)
        seen[twin] += 1
    taken: set[str] = set()
    found: list[CompanionName] = []
    for group in groups.values():
        tag, number = tags[group[0]], 1
        numbered = tag
        while any((numbered + path.suffix).casefold() in taken for path in group):
            number += 1
            numbered = f"{tag}.{number}"
        taken.update((numbered + path.suffix).casefold() for path in group)
        found += [CompanionName(str(path), numbered + path.suffix) for path in group]
    return found
