"""Resolves conflicts on the hub's disk; these functions block."""

from quartet.kernel.errors import AppError
from quartet.kernel.files import safe_name, unique_name
from quartet.kernel.files.beneath import Parts
from quartet.kernel.files.errors import display_path
from quartet.sync.hubfiles.conflicts.finder import ConflictCopy
from quartet.sync.hubfiles.conflicts.types import Keep
from quartet.sync.hubfiles.folder_on_disk import FolderOnDisk
from quartet.sync.hubfiles.names import conflict_copy, named_after, stamp

OWNER_BYTES = 60


def resolve(folder: FolderOnDisk, copy: ConflictCopy, keep: Keep, owner: str) -> Parts:
    """Resolve the conflict and return the path of the kept content.

    The discarded content is archived. `owner` is the name of the device that made the copy, or "".
    """
    _require(folder, copy)
    if keep == "current":
        # Archived as a version of the file itself, where users will look for it.
        folder.move_to_archive(copy.parts, copy.of)
        return copy.of
    if keep == "copy":
        folder.replace_file(copy.parts, copy.of)
        return copy.of
    return _keep_both(folder, copy, owner)


def _require(folder: FolderOnDisk, copy: ConflictCopy) -> None:
    """Fail if another user has already resolved the conflict."""
    try:
        folder.files.open(copy.parts).close()
    except AppError as error:
        if error.code != "not_found":
            raise
        raise AppError(404, "conflict_not_found", path=display_path(copy.parts)) from error


def _keep_both(folder: FolderOnDisk, copy: ConflictCopy, owner: str) -> Parts:
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


def _name(copy: ConflictCopy, owner: str) -> str:
    whose = safe_name(owner, OWNER_BYTES, keep_extension=False) if owner else stamp(copy.at)
    name = named_after(copy.of[-1], whose)
    # A device name may look like the mark of a conflict copy.
    return named_after(copy.of[-1], stamp(copy.at)) if conflict_copy(name) else name
