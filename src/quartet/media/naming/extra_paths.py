"""Paths of extras next to what they belong to, as Jellyfin, Plex, Kodi and Emby find them."""

from quartet.kernel.files import MAX_NAME_BYTES
from quartet.media.names.types import ExtraKind
from quartet.media.naming.path_segments import Piece, clean_value, join_pieces
from quartet.media.naming.render import BACKUP_ROOM, TAIL_ROOM
from quartet.media.types import Kind

FOLDERS: dict[ExtraKind, str] = {
    "trailer": "Trailers",
    "featurette": "Featurettes",
    "behind_the_scenes": "Behind The Scenes",
    "deleted_scene": "Deleted Scenes",
    "interview": "Interviews",
    "short": "Shorts",
    "sample": "Samples",
    "other": "Other",
}
SUFFIXES: dict[ExtraKind, str] = {
    "trailer": "-trailer",
    "featurette": "-featurette",
    "behind_the_scenes": "-behindthescenes",
    "deleted_scene": "-deleted",
    "interview": "-interview",
    "short": "-short",
    "sample": "-sample",
    "other": "-other",
}


def extra_path(main: str, kind: Kind, extra: ExtraKind, title: str | None) -> str:
    """Return the path of an extra, given that of its movie or of an episode of its series.

    With a title of its own it goes into the folder of its kind. Without one, or without a folder
    per title, its kind is a suffix; Kodi finds a trailer only by its suffix.
    """
    folder, _, name = main.rpartition("/")
    stem, dot, extension = name.rpartition(".")
    if kind == "series" and folder:
        # Extras of a series belong to the series, not to a season.
        folder = stem = folder.partition("/")[0]
    own = clean_title(title) if title and folder else ""
    if own:
        return f"{folder}/{FOLDERS[extra]}/{own}{dot}{extension}"
    return f"{folder}{'/' if folder else ''}{stem}{SUFFIXES[extra]}{dot}{extension}"


def clean_title(title: str) -> str:
    return join_pieces([Piece(clean_value(title), 0)], MAX_NAME_BYTES - BACKUP_ROOM - TAIL_ROOM)
