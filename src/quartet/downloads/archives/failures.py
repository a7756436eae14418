"""What the program says when it fails, as codes."""

import errno
import re
import signal

from quartet.downloads.archives.guard import Guard
from quartet.downloads.archives.program import Outcome
from quartet.downloads.archives.sets import part_name
from quartet.downloads.archives.types import ArchiveSet
from quartet.kernel.errors import AppError

_ERRNO = re.compile(r"errno=(\d+)")
_WRONG_PASSWORD = ("Wrong password", "Break signaled")  # it asked, and nobody answered
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


def failure(outcome: Outcome, archive: ArchiveSet, guard: Guard) -> AppError:
    """Most certain causes first: a full disk also looks like a damaged archive."""
    name = archive.first
    if outcome.code < 0:
        return _ended_by(-outcome.code, name, guard)
    if problem := _told_by_system(outcome, name, guard):
        return problem
    if outcome.says(*_NO_MEMORY) or outcome.code == 8:
        allowed = guard.limits.memory
        return AppError(422, "archive_needs_memory", archive=name, allowed=allowed)
    return _told_by_archive(outcome, archive)


def is_wrong_password(outcome: Outcome) -> bool:
    """Also when none was given and one is needed."""
    return not outcome.fine and outcome.says(*_WRONG_PASSWORD)


def is_only_a_guess(outcome: Outcome) -> bool:
    """The program asks "Wrong password?" whenever something encrypted turns out wrong."""
    return not outcome.says("Wrong password :", "Break signaled")


def _ended_by(number: int, name: str, guard: Guard) -> AppError:
    if number == signal.SIGXFSZ:
        return guard.outgrown()
    return AppError(422, "extraction_failed", archive=name, detail="crashed", signal=number)


def _told_by_system(outcome: Outcome, name: str, guard: Guard) -> AppError | None:
    found = {int(n) for message in outcome.messages for n in _ERRNO.findall(message)}
    if found & {errno.ENOSPC, errno.EDQUOT}:
        return AppError(507, "disk_full", path=name)
    if errno.EFBIG in found:
        return guard.outgrown()
    if errno.EROFS in found:
        return AppError(403, "read_only", path=name)
    if found & {errno.EACCES, errno.EPERM}:
        return AppError(403, "permission_denied", path=name)
    return None


def _told_by_archive(outcome: Outcome, archive: ArchiveSet) -> AppError:
    name = archive.first
    if outcome.says("Missing volume") or (
        archive.scheme == "numbered" and outcome.says("Unexpected end of archive")
    ):
        missing = [part_name(archive, archive.last + 1)]
        return AppError(422, "parts_missing", archive=name, missing=missing)
    if outcome.says(*_NOT_AN_ARCHIVE):
        return AppError(422, "not_an_archive", name=name)
    if outcome.says("Unsupported Method"):
        return AppError(422, "extraction_failed", archive=name, detail="unsupported_method")
    if outcome.says(*_DAMAGED):
        return AppError(422, "archive_damaged", archive=name)
    if outcome.says("Dangerous link"):
        return AppError(422, "archive_unsafe", archive=name, member="", reason="link")
    return AppError(422, "extraction_failed", archive=name, detail="exit", code=outcome.code)
