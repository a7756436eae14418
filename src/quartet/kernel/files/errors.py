"""What the system answers, as codes a person can be told."""

import errno
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from quartet.kernel.errors import AppError
from quartet.kernel.files.beneath import Parts

_PROBLEMS: dict[int, Callable[[str], AppError]] = {
    errno.ENOENT: lambda path: AppError(404, "not_found", path=path),
    errno.EEXIST: lambda path: AppError(409, "already_exists", path=path),
    errno.ENOTEMPTY: lambda path: AppError(409, "folder_not_empty", path=path),
    errno.ENOTDIR: lambda path: AppError(409, "not_a_folder", path=path),
    errno.EISDIR: lambda path: AppError(409, "is_a_folder", path=path),
    errno.ELOOP: lambda path: AppError(400, "path_outside_root", path=path),
    errno.EINVAL: lambda path: AppError(400, "path_invalid", path=path),
    errno.EILSEQ: lambda path: AppError(400, "path_invalid", path=path),
    errno.ENXIO: lambda path: AppError(400, "path_invalid", path=path),
    errno.ENAMETOOLONG: lambda path: AppError(400, "name_too_long", path=path),
    errno.EACCES: lambda path: AppError(403, "permission_denied", path=path),
    errno.EPERM: lambda path: AppError(403, "permission_denied", path=path),
    errno.EROFS: lambda path: AppError(403, "read_only", path=path),
    errno.ENOSPC: lambda path: AppError(507, "disk_full", path=path),
    errno.EDQUOT: lambda path: AppError(507, "disk_full", path=path),
}


def display_path(parts: Parts) -> str:
    """The path below its root as text that any encoder takes, also for names that are no text."""
    return "/".join(parts).encode("utf-8", "surrogatepass").decode("utf-8", "replace") or "."


@contextmanager
def app_errors(parts: Parts) -> Iterator[None]:
    """Turns the system's errors into ours; those nobody can act on stay as they are."""
    try:
        yield
    except OSError as error:
        _tell(error, parts)
        raise


@contextmanager
def app_errors_on_open(parts: Parts) -> Iterator[None]:
    """Like `app_errors`, where EXDEV is the kernel's word for a path that leads outside."""
    try:
        yield
    except OSError as error:
        if error.errno == errno.EXDEV:
            raise AppError(400, "path_outside_root", path=display_path(parts)) from error
        _tell(error, parts)
        raise


@contextmanager
def app_errors_on_rename(source: Parts, target: Parts) -> Iterator[None]:
    """For two paths whose folders are open: only the source can be missing."""
    try:
        yield
    except OSError as error:
        if error.errno == errno.EXDEV:
            raise AppError(409, "different_mount", path=display_path(target)) from error
        _tell(error, source if error.errno == errno.ENOENT else target)
        raise


def _tell(error: OSError, parts: Parts) -> None:
    problem = _PROBLEMS.get(error.errno or 0)
    if problem:
        raise problem(display_path(parts)) from error
