"""Moving files and folders, also from one disk to another."""

import errno
import os
import stat
from contextlib import suppress
from typing import NamedTuple

from quartet.kernel.errors import AppError
from quartet.kernel.files.atomic import temporary
from quartet.kernel.files.beneath import FOLDER, Parts, open_beneath, opened
from quartet.kernel.files.copies import (
    Cancelled,
    Copying,
    copy_file,
    keep_mode_and_time,
    same_file,
)
from quartet.kernel.files.paths import RelativePath, to_parts
from quartet.kernel.files.problems import shown, telling_both
from quartet.kernel.files.renames import (
    Place,
    is_folder,
    look,
    remove_file,
    remove_folder,
    rename_new,
)
from quartet.kernel.files.root import Root
from quartet.kernel.files.space import require_space
from quartet.kernel.files.trees import remove_folders, remove_tree, walk


class Copied(NamedTuple):
    folder: Parts
    name: str
    seen: os.stat_result


def move(
    root: Root,
    path: RelativePath,
    new: RelativePath,
    to: Root | None = None,
    *,
    cancelled: Cancelled | None = None,
) -> None:
    """Renames where it can, else copies, verifies and removes the source; replaces nothing."""
    source, target = to_parts(path), to_parts(new)
    with (
        root.place(source) as here,
        (to or root).place(target) as there,
        telling_both(source, target),
    ):
        try:
            rename_new(here, there)
        except OSError as error:
            if error.errno != errno.EXDEV:
                raise
            _move_by_copy(here, there, Copying(source, cancelled))


def _move_by_copy(source: Place, target: Place, copying: Copying) -> None:
    _refuse_existing(target, copying)
    part = temporary(target)
    what = look(source)
    try:
        if stat.S_ISDIR(what.st_mode):
            copied = _copy_tree(source, part, copying)
        else:
            copied = [Copied((), source.name, _copy_one(source, part, copying))]
        rename_new(part, target)
    except BaseException:
        _discard(part)
        raise
    os.fsync(target.folder)
    _remove_source(source, copied, copying, whole_folder=stat.S_ISDIR(what.st_mode))
    os.fsync(source.folder)


def _refuse_existing(target: Place, copying: Copying) -> None:
    """The rename at the end decides; asking first spares a long copy for nothing."""
    with suppress(FileNotFoundError):
        look(target)
        raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST))
    copying.stop_if_cancelled()


def _copy_one(source: Place, target: Place, copying: Copying) -> os.stat_result:
    seen = look(source)
    if not stat.S_ISLNK(seen.st_mode):
        return copy_file(source, target, copying)
    pointing_at = os.readlink(source.name, dir_fd=source.folder)
    os.symlink(pointing_at, target.name, dir_fd=target.folder)
    return seen


def _copy_tree(source: Place, target: Place, copying: Copying) -> list[Copied]:
    copied: list[Copied] = []
    os.mkdir(target.name, 0o700, dir_fd=target.folder)
    with (
        opened(open_beneath(source.folder, (source.name,), FOLDER)) as top,
        opened(open_beneath(target.folder, (target.name,), FOLDER)) as new_top,
    ):
        require_space(new_top, _size_of(top), copying.parts)
        folders: list[tuple[Parts, os.stat_result]] = []
        for parts, folder, entries in walk(top):
            folders.append((parts, os.fstat(folder)))
            with opened(open_beneath(new_top, parts, FOLDER)) as new_folder:
                for entry in entries:
                    if entry.is_dir(follow_symlinks=False):
                        os.mkdir(entry.name, 0o700, dir_fd=new_folder)
                    else:
                        places = Place(folder, entry.name), Place(new_folder, entry.name)
                        copied.append(Copied(parts, entry.name, _copy_one(*places, copying)))
        _finish_folders(new_top, folders)
    return copied


def _size_of(top: int) -> int:
    return sum(
        entry.stat(follow_symlinks=False).st_size
        for visit in walk(top)
        for entry in visit.entries
        if entry.is_file(follow_symlinks=False)
    )


def _finish_folders(top: int, folders: list[tuple[Parts, os.stat_result]]) -> None:
    """Children first, because writing into a folder changes its time."""
    for parts, seen in reversed(folders):
        with opened(open_beneath(top, parts, FOLDER)) as folder:
            keep_mode_and_time(folder, seen)
            os.fsync(folder)


def _discard(part: Place) -> None:
    with suppress(FileNotFoundError):
        if is_folder(part):
            remove_tree(part)
        else:
            remove_file(part)


def _remove_source(
    source: Place, copied: list[Copied], copying: Copying, *, whole_folder: bool
) -> None:
    """Removes exactly what was copied: what came or changed meanwhile is still somebody's."""
    if not whole_folder:
        _remove_copied(source.folder, copied[0], copying)
        return
    with opened(open_beneath(source.folder, (source.name,), FOLDER)) as top:
        for one in copied:
            with opened(open_beneath(top, one.folder, FOLDER)) as folder:
                _remove_copied(folder, one, copying)
        try:
            remove_folders(top, [visit.parts for visit in walk(top)][1:])
            remove_folder(source)
        except OSError as error:
            if error.errno != errno.ENOTEMPTY:
                raise
            raise AppError(409, "source_changed", path=shown(copying.parts)) from error


def _remove_copied(folder: int, copied: Copied, copying: Copying) -> None:
    place = Place(folder, copied.name)
    if not same_file(look(place), copied.seen):
        raise AppError(409, "source_changed", path=shown(copying.parts))
    remove_file(place)
