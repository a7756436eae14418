"""Names that a scan ignores."""

from collections.abc import Container

from quartet.media.roots.file_kinds import is_internal_name

# Suffixes of unfinished downloads, or of marker files next to them.
_PARTIAL = (
    *(".part", ".partial", ".tmp", ".crdownload", ".aria2", ".!qb", ".!ut", ".bc!"),
    *(".filepart", ".download", ".opdownload"),
)
_FOLDERS = frozenset(
    {
        *("@eadir", "#recycle", "$recycle.bin", "lost+found", "system volume information"),
        *("sample", "samples"),
        # A disc is handled as a whole; its parts are useless on their own.
        *("video_ts", "audio_ts", "bdmv", "certificate"),
    }
)


def is_partial(name: str) -> bool:
    return name.lower().endswith(_PARTIAL)


def is_incomplete(name: str, names: Container[str]) -> bool:
    """Return True if the name or a marker file next to it shows an unfinished download."""
    return is_partial(name) or any(name + completion in names for completion in _PARTIAL)


def is_hidden(name: str) -> bool:
    return name.startswith(".") or is_internal_name(name)


def is_ignored_folder(folder: str) -> bool:
    return is_hidden(folder) or folder.lower() in _FOLDERS
