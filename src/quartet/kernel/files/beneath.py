"""Opening below a folder, whatever somebody does to the tree meanwhile."""

import errno
import os
import stat
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager

from quartet.kernel.files import syscalls

Parts = tuple[str, ...]

FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC

_LONGEST_PATH = 4096
_MOST_LINKS = 40


def open_beneath(folder: int, parts: Parts, flags: int, *, follow_inside: bool = False) -> int:
    """Opens without leaving `folder`; links are refused, or followed while they stay inside."""
    flags |= os.O_CLOEXEC
    if not parts:
        return os.open(".", flags, dir_fd=folder)
    path = os.fsencode("/".join(parts))
    if syscalls.has_openat2() and len(path) < _LONGEST_PATH:
        resolve = syscalls.RESOLVE_BENEATH | syscalls.RESOLVE_NO_MAGICLINKS
        if not follow_inside:
            resolve |= syscalls.RESOLVE_NO_SYMLINKS
        try:
            return syscalls.openat2(folder, path, flags, resolve)
        except OSError as error:
            # The kernel saw a rename while it resolved ".."; the walk below cannot be confused.
            if error.errno != errno.EAGAIN:
                raise
    if follow_inside:
        return _walk_links(folder, parts, flags)
    return _walk(folder, parts, flags)


@contextmanager
def opened(fd: int) -> Iterator[int]:
    try:
        yield fd
    finally:
        os.close(fd)


def _step(folder: int, name: str, flags: int) -> int:
    """Opens one name and never follows it."""
    try:
        return os.open(name, flags | os.O_NOFOLLOW | os.O_CLOEXEC, dir_fd=folder)
    except NotADirectoryError:
        # Asked for a folder, Linux calls a link "not a directory"; openat2 says ELOOP.
        if stat.S_ISLNK(os.stat(name, dir_fd=folder, follow_symlinks=False).st_mode):
            raise OSError(errno.ELOOP, os.strerror(errno.ELOOP)) from None
        raise


def _walk(folder: int, parts: Parts, flags: int) -> int:
    with ExitStack() as held:
        for name in parts[:-1]:
            folder = _step(folder, name, FOLDER)
            held.close()
            held.enter_context(opened(folder))
        return _step(folder, parts[-1], flags)


def _walk_links(folder: int, parts: Parts, flags: int) -> int:
    pending = list(reversed(parts))
    links = 0
    with ExitStack() as held:
        trail = [folder]
        while pending:
            name = pending.pop()
            if name == "..":
                _step_back(trail)
            elif target := _link_target(trail[-1], name):
                links += 1
                if links > _MOST_LINKS:
                    raise OSError(errno.ELOOP, os.strerror(errno.ELOOP))
                pending += [part for part in reversed(target.split("/")) if part not in ("", ".")]
            elif pending:
                trail.append(held.enter_context(opened(_step(trail[-1], name, FOLDER))))
            else:
                return _step(trail[-1], name, flags)
        return os.open(".", flags, dir_fd=trail[-1])


def _step_back(trail: list[int]) -> None:
    """Goes back the way we came: ".." of a folder that was moved may be anywhere."""
    if len(trail) == 1:
        raise OSError(errno.EXDEV, os.strerror(errno.EXDEV))
    trail.pop()


def _link_target(folder: int, name: str) -> str:
    """Where a link points, or nothing when the name is no link."""
    try:
        target = os.readlink(name, dir_fd=folder)
    except OSError as error:
        if error.errno != errno.EINVAL:
            raise
        return ""
    if target.startswith("/"):
        raise OSError(errno.EXDEV, os.strerror(errno.EXDEV))
    return target
