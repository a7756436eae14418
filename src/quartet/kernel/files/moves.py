"""Moves files and folders, also between file systems."""

import errno
import os
import stat
from contextlib import suppress
from typing import NamedTuple

from quartet.kernel.errors import AppError
from quartet.kernel.files.atomic import temporary_entry
from quartet.kernel.files.beneath import OPEN_FOLDER, Parts, closing_fd, open_beneath
from quartet.kernel.files.copies import (
    Cancelled,
    CopyContext,
    copy_file,
    copy_mode_and_times,
    same_file,
)
from quartet.kernel.files.errors import app_errors_on_rename, display_path
from quartet.kernel.files.paths import RelativePath, to_parts
from quartet.kernel.files.renames import (
    EntryRef,
    is_folder,
    remove_file,
    remove_folder,
    rename_no_replace,
    stat_entry,
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
    """Rename if possible, otherwise copy, verify and delete the source; never replace anything."""
    source, target = to_parts(path), to_parts(new)
    with (
        root.place(source) as here,
        (to or root).place(target) as there,
        app_errors_on_rename(source, target),
    ):
        try:
            rename_no_replace(here, there)
        except OSError as error:
            if error.errno != errno.EXDEV:
                raise
            _move_by_copy(here, there, CopyContext(source, cancelled))


def _move_by_copy(source: EntryRef, target: EntryRef, copying: CopyContext) -> None:
    _refuse_existing(target, copying)
    part = temporary_entry(target)
    what = stat_entry(source)
    try:
        if stat.S_ISDIR(what.st_mode):
            copied = _copy_tree(source, part, copying)
        else:
            copied = [Copied((), source.name, _copy_one(source, part, copying))]
        rename_no_replace(part, target)
    except BaseException:
        _discard(part)
        raise
    os.fsync(target.folder)
    _remove_source(source, copied, copying, whole_folder=stat.S_ISDIR(what.st_mode))
    os.fsync(source.folder)


def _refuse_existing(target: EntryRef, copying: CopyContext) -> None:
    """Check early, to avoid a long copy whose final rename would fail."""
    with suppress(FileNotFoundError):
        stat_entry(target)
        raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST))
    copying.stop_if_cancelled()


def _copy_one(source: EntryRef, target: EntryRef, copying: CopyContext) -> os.stat_result:
    seen = stat_entry(source)
    if not stat.S_ISLNK(seen.st_mode):
        return copy_file(source, target, copying)
    pointing_at = os.readlink(source.name, dir_fd=source.folder)
    os.symlink(pointing_at, target.name, dir_fd=target.folder)
    return seen


def _copy_tree(source: EntryRef, target: EntryRef, copying: CopyContext) -> list[Copied]:
    copied: list[Copied] = []
    os.mkdir(target.name, 0o700, dir_fd=target.folder)
    with (
        closing_fd(open_beneath(source.folder, (source.name,), OPEN_FOLDER)) as top,
        closing_fd(open_beneath(target.folder, (target.name,), OPEN_FOLDER)) as new_top,
    ):
        require_space(new_top, _size_of(top), copying.parts)
        folders: list[tuple[Parts, os.stat_result]] = []
        for parts, folder, entries in walk(top):
            folders.append((parts, os.fstat(folder)))
            with closing_fd(open_beneath(new_top, parts, OPEN_FOLDER)) as new_folder:
                for entry in entries:
                    if entry.is_dir(follow_symlinks=False):
                        os.mkdir(entry.name, 0o700, dir_fd=new_folder)
                    else:
                        places = EntryRef(folder, entry.name), EntryRef(new_folder, entry.name)
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
    """Set modes and times of folders, children first: writing to a folder changes its times."""
    for parts, seen in reversed(folders):
        with closing_fd(open_beneath(top, parts, OPEN_FOLDER)) as folder:
            copy_mode_and_times(folder, seen)
            os.fsync(folder)


def _discard(part: EntryRef) -> None:
    with suppress(FileNotFoundError):
        if is_folder(part):
            remove_tree(part)
        else:
            remove_file(part)


def _remove_source(
    source: EntryRef, copied: list[Copied], copying: CopyContext, *, whole_folder: bool
) -> None:
    """Delete exactly what was copied; keep files that were added or changed in the meantime."""
    if not whole_folder:
        _remove_copied(source.folder, copied[0], copying)
        return
    with closing_fd(open_beneath(source.folder, (source.name,), OPEN_FOLDER)) as top:
        for one in copied:
            with closing_fd(open_beneath(top, one.folder, OPEN_FOLDER)) as folder:
                _remove_copied(folder, one, copying)
        try:
            remove_folders(top, [visit.parts for visit in walk(top)][1:])
            remove_folder(source)
        except OSError as error:
            if error.errno != errno.ENOTEMPTY:
                raise
            raise AppError(409, "source_changed", path=display_path(copying.parts)) from error


def _remove_copied(folder: int, copied: Copied, copying: CopyContext) -> None:
    place = EntryRef(folder, copied.name)
    if not same_file(stat_entry(place), copied.seen):
        raise AppError(409, "source_changed", path=display_path(copying.parts))
    remove_file(place)
