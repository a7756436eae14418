"""Parses the names of videos in their folder."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from quartet.kernel.files import Entry
from quartet.media.names.types import Parsed
from quartet.media.roots.folder_access import RootedPath
from quartet.media.roots.path_encoding import encode_path

if TYPE_CHECKING:
    from quartet.media.jobs.preview.main_feature import Video

# Subfolders that identify a disc; its files are never handled separately.
DISC_FOLDERS = frozenset({"VIDEO_TS", "BDMV", "HVDVD_TS"})
# How many parent folders the name parser gets.
_CONTEXT = 4


def is_disc(entries: Sequence[Entry]) -> bool:
    return any(entry.is_folder and entry.name.upper() in DISC_FOLDERS for entry in entries)


def parse_videos(
    folder: RootedPath, videos: Sequence[Entry], above: "Video | None"
) -> "tuple[list[Parsed], Video | None]":
    """Parse the videos of one folder; their sizes distinguish the movie from its extras.

    Return also the movie of this folder, or else the one of a folder above.
    """
    from quartet.media.jobs.preview.main_feature import Video, main_feature, without_small_extras

    found = [
        Video(
            encode_path(one.name),
            one.stat.st_size,
            parse_path(RootedPath(folder.root, (*folder.parts, one.name))),
        )
        for one in videos
    ]
    if not folder.parts:
        return [video.parsed for video in found], None
    name = encode_path(folder.name)
    main = main_feature(found, name) or above
    return without_small_extras(found, name, main), main


def parse_path(location: RootedPath) -> Parsed:
    # Its patterns take a tenth of the start, and the first answer does not need them.
    from quartet.media.names.parse import parse

    around = [encode_path(part) for part in location.parts[:-1][-_CONTEXT:]]
    return parse(encode_path(location.name), around)
