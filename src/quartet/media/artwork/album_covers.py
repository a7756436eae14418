"""Finds the covers that tracks contain, for albums without a picture in their folder."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from pathlib import Path

from quartet.media.artwork.wanted_files import WantedFile
from quartet.media.moves.disk import Disk
from quartet.media.probe.service import Prober
from quartet.media.roots.folder_access import FolderAccess
from quartet.media.tagged.followers import is_cover
from quartet.media.tagged.music_tags import DISC_FOLDER

_MOST_TRACKS = 3
_FORMATS = ((b"\xff\xd8\xff", "jpg"), (b"\x89PNG", "png"))


def albums_of(targets: Iterable[str]) -> dict[str, list[str]]:
    """Return the first tracks by the folder of their album, which contains those of its discs."""
    albums: dict[str, list[str]] = defaultdict(list)
    for target in targets:
        folder = target.rpartition("/")[0]
        above, _, last = folder.rpartition("/")
        albums[above if DISC_FOLDER.fullmatch(last) else folder].append(target)
    return {folder: tracks[:_MOST_TRACKS] for folder, tracks in albums.items()}


def without_cover(access: FolderAccess, folders: Iterable[str]) -> list[str]:
    """Return the folders that contain no picture of the album. Blocks."""
    disk = Disk()
    try:
        return [
            folder
            for folder in folders
            if not any(is_cover(one.name) for one in disk.names(access.resolve(folder)))
        ]
    finally:
        disk.forget()


async def cover_of(prober: Prober, folder: str, tracks: Sequence[str]) -> WantedFile | None:
    for track in tracks:
        picture = await prober.cover(Path(track)) or b""
        for start, extension in _FORMATS:
            if picture.startswith(start):
                return WantedFile(f"{folder}/cover.{extension}", None, picture)
    return None
