"""What becomes of the two files of a conflict; this blocks."""

from quartet.kernel.errors import AppError
from quartet.kernel.files import safe_name, unique_name
from quartet.kernel.files.beneath import Parts
from quartet.kernel.files.errors import display_path
from quartet.sync.hubfiles.conflicts.finder import Copy
from quartet.sync.hubfiles.conflicts.types import Keep
from quartet.sync.hubfiles.names import conflict_copy, named_after, stamp
from quartet.sync.hubfiles.places import FolderOnDisk

OWNER_BYTES = 60


def resolve(folder: FolderOnDisk, copy: Copy, keep: Keep, owner: str) -> Parts:
    """Returns where the kept content is. Nothing is lost: what goes is put away.

    `owner` is the name of the device that made the copy, empty when nobody knows.
    """
    _require(folder, copy)
    if keep == "current":
        # One more version of the file, so that it is found where people look for it.
        folder.put_away(copy.parts, copy.of)
        return copy.of
    if keep == "copy":
        folder.take_over(copy.parts, copy.of)
        return copy.of
    return _beside(folder, copy, owner)


def _require(folder: FolderOnDisk, copy: Copy) -> None:
    """Another person may have been faster."""
    try:
        folder.files.open(copy.parts).close()
    except AppError as error:
        if error.code != "not_found":
            raise
        raise AppError(404, "conflict_not_found", path=display_path(copy.parts)) from error


def _beside(folder: FolderOnDisk, copy: Copy, owner: str) -> Parts:
    above = copy.of[:-1]
    taken = {entry.name for entry in folder.files.list(above)}
    wanted = _name(copy, owner)
    while True:
        name = unique_name(wanted, taken)
        try:
            folder.files.rename(copy.parts, (*above, name))
        except AppError as error:
            if error.code != "already_exists":
                raise
            taken.add(name)
        else:
            return (*above, name)


def _name(copy: Copy, owner: str) -> str:
    whose = safe_name(owner, OWNER_BYTES, keep_extension=False) if owner else stamp(copy.at)
    name = named_after(copy.of[-1], whose)
    # A device may be called like the mark of a copy.
    return named_after(copy.of[-1], stamp(copy.at)) if conflict_copy(name) else name
