"""From paths somebody sends to files that rules can be applied to."""

import stat
from collections.abc import Sequence

from quartet.kernel.errors import AppError
from quartet.media.roots.places import Places, Spot, outside
from quartet.media.roots.texts import path_of, path_text
from quartet.media.rules.types import File


def files_at(places: Places, paths: Sequence[str]) -> list[File]:
    """Refuses what is not inside the configured folders, and those folders themselves. Blocks."""
    return [_file(places.spot(path_of(text))) for text in paths]


def _file(spot: Spot) -> File:
    if not spot.parts:
        raise outside(spot.path)
    seen = spot.root.stat(spot.parts)
    is_folder = stat.S_ISDIR(seen.st_mode)
    if not is_folder and not stat.S_ISREG(seen.st_mode):
        raise AppError(400, "not_a_file", path=path_text(spot.path))
    return File(
        folder=spot.parent.path,
        name=spot.name,
        is_folder=is_folder,
        modified=seen.st_mtime,
        # Linux keeps the birth of a file where Python does not look; the oldest of both is near.
        created=min(seen.st_ctime, seen.st_mtime),
    )
