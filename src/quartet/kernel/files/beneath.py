"""Opens files below a folder without following links, even if the tree changes concurrently."""

import errno
import os
import stat
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager

from quartet.kernel.files import syscalls

Parts = tuple[str, ...]

OPEN_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC

_LONGEST_PATH = 4096


def open_beneath(folder: int, parts: Parts, flags: int) -> int:
    """Open a path below `folder`; symbolic links are rejected."""
    flags |= os.O_CLOEXEC
    if not parts:
        return os.open(".", flags, dir_fd=folder)
    path = os.fsencode("/".join(parts))
    if syscalls.has_openat2() and len(path) < _LONGEST_PATH:
        resolve = syscalls.RESOLVE_BENEATH | syscalls.RESOLVE_NO_SYMLINKS
        return syscalls.openat2(folder, path, flags, resolve)
    return _walk(folder, parts, flags)


@contextmanager
def closing_fd(fd: int) -> Iterator[int]:
    try:
        yield fd
    finally:
        os.close(fd)


def _step(folder: int, name: str, flags: int) -> int:
    """Open one name without following a link."""
    try:
        return os.open(name, flags | os.O_NOFOLLOW | os.O_CLOEXEC, dir_fd=folder)
    except NotADirectoryError:
        # With O_DIRECTORY, Linux reports ENOTDIR for a link; openat2 reports ELOOP.
        if stat.S_ISLNK(os.stat(name, dir_fd=folder, follow_symlinks=False).st_mode):
            raise OSError(errno.ELOOP, os.strerror(errno.ELOOP)) from None
        raise


def _walk(folder: int, parts: Parts, flags: int) -> int:
    with ExitStack() as held:
        for name in parts[:-1]:
            folder = _step(folder, name, OPEN_FOLDER)
            held.close()
            held.enter_context(closing_fd(folder))
        return _step(folder, parts[-1], flags)
