"""Renames without replacing, also on file systems without RENAME_NOREPLACE."""

import errno
import os
import stat
from contextlib import suppress
from typing import NamedTuple

from quartet.kernel.files import syscalls

_UNSUPPORTED = (errno.ENOSYS, errno.EINVAL, errno.ENOTSUP, errno.EPERM)
_NO_LINKS = (errno.EPERM, errno.ENOTSUP, errno.ENOSYS, errno.EMLINK)


class EntryRef(NamedTuple):
    """A name in an open folder."""

    folder: int
    name: str


def stat_entry(place: EntryRef) -> os.stat_result:
    return os.stat(place.name, dir_fd=place.folder, follow_symlinks=False)


def is_folder(place: EntryRef) -> bool:
    return stat.S_ISDIR(stat_entry(place).st_mode)


def remove_file(place: EntryRef) -> None:
    os.unlink(place.name, dir_fd=place.folder)


def remove_folder(place: EntryRef) -> None:
    os.rmdir(place.name, dir_fd=place.folder)


def rename_no_replace(source: EntryRef, target: EntryRef) -> None:
    """Rename; fail if the target exists."""
    try:
        syscalls.renameat2(*source, *target, syscalls.RENAME_NOREPLACE)
    except OSError as error:
        if error.errno not in _UNSUPPORTED:
            raise
        _rename_new_by_hand(source, target)


def rename_replace(source: EntryRef, target: EntryRef) -> None:
    os.replace(source.name, target.name, src_dir_fd=source.folder, dst_dir_fd=target.folder)


def hard_link(source: EntryRef, target: EntryRef) -> None:
    os.link(
        source.name,
        target.name,
        src_dir_fd=source.folder,
        dst_dir_fd=target.folder,
        follow_symlinks=False,
    )


def _rename_new_by_hand(source: EntryRef, target: EntryRef) -> None:
    if is_folder(source):
        _rename_folder(source, target)
        return
    try:
        hard_link(source, target)
    except OSError as error:
        if error.errno not in _NO_LINKS:
            raise
        _rename_over_placeholder(source, target)
        return
    try:
        remove_file(source)
    except OSError:
        remove_file(target)
        raise


def _rename_folder(source: EntryRef, target: EntryRef) -> None:
    """Create an empty target folder first: renaming a folder can only replace an empty one."""
    os.mkdir(target.name, dir_fd=target.folder)
    try:
        rename_replace(source, target)
    except OSError:
        with suppress(OSError):
            remove_folder(target)
        raise


def _rename_over_placeholder(source: EntryRef, target: EntryRef) -> None:
    """Reserve the name with an empty file if hard links are unsupported; the rename replaces it."""
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
    os.close(os.open(target.name, flags, dir_fd=target.folder))
    try:
        if stat_entry(target).st_size:
            raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST))
        rename_replace(source, target)
    except OSError:
        if not stat_entry(target).st_size:
            remove_file(target)
        raise
