"""Maps the output of 7-Zip to error codes."""

import errno
import re
import signal

from quartet.downloads.archives.guard import ExtractionGuard
from quartet.downloads.archives.program import ProgramOutcome
from quartet.downloads.archives.sets import part_name
from quartet.downloads.archives.types import ArchiveSet
from quartet.kernel.errors import AppError

_ERRNO = re.compile(r"errno=(\d+)")
_WRONG_PASSWORD = ("Wrong password", "Break signaled")  # "Break signaled": it asked for a password
_NOT_AN_ARCHIVE = ("Is not archive", "Cannot open the file as archive")
_NO_MEMORY = ("Can't allocate required memory", "E_OUTOFMEMORY")
_DAMAGED = (
    "CRC Failed",
    "Data Error",
    "Headers Error",
    "Unexpected end of",
    "Cannot open the file as",
    "Unavailable data",
    "Unconfirmed start of archive",
)


def extraction_error(
    outcome: ProgramOutcome, archive: ArchiveSet, guard: ExtractionGuard
) -> AppError:
    """Return the error, specific causes first: a full disk also looks like a damaged archive."""
    name = archive.first
    if outcome.code < 0:
        return _signal_error(-outcome.code, name, guard)
    if problem := _system_error(outcome, name, guard):
        return problem
    if outcome.contains(*_NO_MEMORY) or outcome.code == 8:
        allowed = guard.limits.memory
        return AppError(422, "archive_needs_memory", archive=name, allowed=allowed)
    return _archive_error(outcome, archive)


def is_wrong_password(outcome: ProgramOutcome) -> bool:
    """Return whether the password was wrong, or missing although one is needed."""
    return not outcome.ok and outcome.contains(*_WRONG_PASSWORD)


def may_be_damage(outcome: ProgramOutcome) -> bool:
    """Return whether the error may also be damage: 7-Zip then prints "Wrong password?"."""
    return not outcome.contains("Wrong password :", "Break signaled")


def _signal_error(number: int, name: str, guard: ExtractionGuard) -> AppError:
    if number == signal.SIGXFSZ:
        return guard.too_long()
    return AppError(422, "extraction_failed", archive=name, detail="crashed", signal=number)


def _system_error(outcome: ProgramOutcome, name: str, guard: ExtractionGuard) -> AppError | None:
    found = {int(n) for message in outcome.messages for n in _ERRNO.findall(message)}
    if found & {errno.ENOSPC, errno.EDQUOT}:
        return AppError(507, "disk_full", path=name)
    if errno.EFBIG in found:
        return guard.too_long()
    if errno.EROFS in found:
        return AppError(403, "read_only", path=name)
    if found & {errno.EACCES, errno.EPERM}:
        return AppError(403, "permission_denied", path=name)
    return None


def _archive_error(outcome: ProgramOutcome, archive: ArchiveSet) -> AppError:
    name = archive.first
    if outcome.contains("Missing volume") or (
        archive.scheme == "numbered" and outcome.contains("Unexpected end of archive")
    ):
        missing = [part_name(archive, archive.last + 1)]
        return AppError(422, "parts_missing", archive=name, missing=missing)
    if outcome.contains(*_NOT_AN_ARCHIVE):
        return AppError(422, "not_an_archive", name=name)
    if outcome.contains("Unsupported Method"):
        return AppError(422, "extraction_failed", archive=name, detail="unsupported_method")
    if outcome.contains(*_DAMAGED):
        return AppError(422, "archive_damaged", archive=name)
    if outcome.contains("Dangerous link"):
        return AppError(422, "archive_unsafe", archive=name, member="", reason="link")
    return AppError(422, "extraction_failed", archive=name, detail="exit", code=outcome.code)
