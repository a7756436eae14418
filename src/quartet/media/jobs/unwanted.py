"""Names a scan passes by."""

from collections.abc import Container

from quartet.media.roots.kinds import is_ours

# Beside or after the name of a file that is still being downloaded.
_PARTIAL = (
    *(".part", ".partial", ".tmp", ".crdownload", ".aria2", ".!qb", ".!ut", ".bc!"),
    *(".filepart", ".download", ".opdownload"),
)
_FOLDERS = frozenset(
    {
        *("@eadir", "#recycle", "$recycle.bin", "lost+found", "system volume information"),
        *("sample", "samples"),
        # A disc is one thing, and its parts are worth nothing alone.
        *("video_ts", "audio_ts", "bdmv", "certificate"),
    }
)


def is_partial(name: str) -> bool:
    return name.lower().endswith(_PARTIAL)


def is_growing(name: str, names: Container[str]) -> bool:
    """Whether a mark beside it says that a file is not whole yet."""
    return is_partial(name) or any(name + ending in names for ending in _PARTIAL)


def is_hidden(name: str) -> bool:
    return name.startswith(".") or is_ours(name)


def is_passed_by(folder: str) -> bool:
    return is_hidden(folder) or folder.lower() in _FOLDERS
