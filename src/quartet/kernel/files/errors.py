"""Maps operating system errors to error codes."""

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
    """Return the path as valid UTF-8 for display, even if a name is not valid text."""
    return "/".join(parts).encode("utf-8", "surrogatepass").decode("utf-8", "replace") or "."


@contextmanager
def app_errors(parts: Parts) -> Iterator[None]:
    """Convert OSError to AppError where a code exists; re-raise others."""
    try:
        yield
    except OSError as error:
        _tell(error, parts)
        raise


@contextmanager
def app_errors_on_open(parts: Parts) -> Iterator[None]:
    """Like `app_errors`; EXDEV means that the path leaves the root."""
    try:
        yield
    except OSError as error:
        if error.errno == errno.EXDEV:
            raise AppError(400, "path_outside_root", path=display_path(parts)) from error
        _tell(error, parts)
        raise


@contextmanager
def app_errors_on_rename(source: Parts, target: Parts) -> Iterator[None]:
    """Like `app_errors` for two paths with open parent folders: ENOENT refers to the source."""
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
