"""What a file is, by its name."""

from typing import Literal

from quartet.kernel.files import TEMPORARY_PREFIX

EntryKind = Literal["dir", "video", "subtitle", "other"]

# Between the name of a file that was replaced and the time at which that happened.
BACKUP_MARK = ".app-bak-"

VIDEOS = frozenset(
    (
        *("avi", "divx", "flv", "iso", "m2ts", "m4v", "mkv", "mov", "mp4", "mpeg", "mpg", "mts"),
        *("ogm", "ogv", "rmvb", "ts", "vob", "webm", "wmv"),
    )
)
SUBTITLES = frozenset(("ass", "idx", "smi", "srt", "ssa", "sub", "sup", "vtt"))
# Beside a video; compared without case.
SUBTITLE_FOLDERS = frozenset(("sub", "subs", "subtitle", "subtitles", "untertitel"))


def file_kind(name: str) -> EntryKind:
    extension = name.rpartition(".")[2].lower()
    if extension in VIDEOS:
        return "video"
    return "subtitle" if extension in SUBTITLES else "other"


def is_ours(name: str) -> bool:
    """Names this service made for a while: never shown, scanned or moved."""
    return name.startswith(TEMPORARY_PREFIX) or BACKUP_MARK in name
