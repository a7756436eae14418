"""Classifies files by name."""

from typing import Literal

from quartet.kernel.files import TEMPORARY_PREFIX

EntryKind = Literal["dir", "video", "subtitle", "other"]

# Between the name of a replaced file and the time of its replacement.
BACKUP_MARK = ".app-bak-"

VIDEOS = frozenset(
    (
        *("avi", "divx", "flv", "iso", "m2ts", "m4v", "mkv", "mov", "mp4", "mpeg", "mpg", "mts"),
        *("ogm", "ogv", "rmvb", "ts", "vob", "webm", "wmv"),
    )
)
AUDIO = frozenset(
    (
        *("aac", "aif", "aiff", "ape", "dsf", "flac", "m4a", "m4b", "mka", "mp3", "oga", "ogg"),
        *("opus", "wav", "wma", "wv"),
    )
)
RAW_PHOTOS = frozenset(
    (
        *("3fr", "arw", "cr2", "cr3", "dng", "erf", "iiq", "kdc", "mos", "mrw", "nef", "nrw"),
        *("orf", "pef", "raf", "rw2", "sr2", "srf", "srw", "x3f"),
    )
)
PHOTOS = RAW_PHOTOS | {
    *("avif", "gif", "heic", "heif", "hif", "jpe", "jpeg", "jpg", "jxl", "png", "tif", "tiff"),
    "webp",
}
SUBTITLES = frozenset(("ass", "idx", "smi", "srt", "ssa", "sub", "sup", "vtt"))
# Next to a video; compared case-insensitively.
SUBTITLE_FOLDERS = frozenset(("sub", "subs", "subtitle", "subtitles", "untertitel"))


def file_kind(name: str) -> EntryKind:
    extension = name.rpartition(".")[2].lower()
    if extension in VIDEOS:
        return "video"
    return "subtitle" if extension in SUBTITLES else "other"


def is_internal_name(name: str) -> bool:
    """Temporary and backup names of this service: never shown, scanned or moved."""
    return name.startswith(TEMPORARY_PREFIX) or BACKUP_MARK in name
