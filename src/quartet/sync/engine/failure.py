"""Finds the reason for a failure in the log of an engine."""

import re
import signal
from collections.abc import Iterable, Sequence

from quartet.kernel.errors import AppError

REASON_CHARS = 300
# Version 1: `[ABCDE] 2026/01/31 10:00:00 WARNING: text`; version 2: `2026-01-31 10:00:00 ERR text`.
_LINE = re.compile(
    r"^(?:\[\w+\] )?(?:\d{4}[/-]\d\d[/-]\d\d )?[\d:.]+ (?P<level>[A-Z]{3,}):? (?P<text>.+)$"
)
_CRASH = re.compile(r"^(?:panic|fatal error): (?P<text>.+)$")
_LEVELS = ("ERR", "ERROR", "FATAL", "WARNING", "WRN")
# Part of a warning at every start as root.
_HARMLESS = "privileged"


def reason_in(lines: Iterable[str]) -> str:
    """Return the text of the last error or warning, or an empty text."""
    found = [text for line in lines if (text := _complaint(line))]
    return found[-1][:REASON_CHARS] if found else ""


def _complaint(line: str) -> str:
    if crash := _CRASH.match(line):
        return crash["text"]
    parts = _LINE.match(line)
    if parts is None or parts["level"] not in _LEVELS or _HARMLESS in line:
        return ""
    return parts["text"]


def exit_error(code: int, lines: Sequence[str]) -> AppError:
    """Return the error for an engine that exited unexpectedly."""
    reason = reason_in(lines)
    if not reason and code < 0:
        reason = signal.Signals(-code).name
    if not reason:
        return AppError(500, "engine_exited_silently", exitCode=code)
    return AppError(500, "engine_exited", exitCode=code, reason=reason)


def start_error(lines: Sequence[str]) -> AppError:
    """Return the error for an engine that runs but does not answer."""
    if reason := reason_in(lines):
        return AppError(500, "engine_not_starting", reason=reason)
    return AppError(500, "engine_not_answering")
