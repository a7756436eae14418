"""Decides what follows a failed attempt: another one, a stop until the user helps, or the end."""

import time
from collections.abc import Callable
from typing import Any, NamedTuple

from quartet.downloads.queue import store
from quartet.downloads.queue.types import SPACE_ERRORS, ClaimedDownload
from quartet.downloads.transfer import Failed
from quartet.kernel.errors import Problem

# Retrying would fail again until the user has fixed the disk.
NEEDS_USER = (*SPACE_ERRORS, "read_only", "permission_denied", "file_too_large")
# Used when the server does not say how long its traffic limit lasts.
_TRAFFIC_LIMIT_SECONDS = 1800.0

# The delay before the first retry, which doubles with each attempt, and its maximum.
FIRST_RETRY_SECONDS = 10.0
MAX_RETRY_SECONDS = 600.0


class NextStep(NamedTuple):
    """What is stored about a failed attempt; `retry_at` means that another one follows."""

    action: Callable[..., bool]
    values: dict[str, Any]


def after_failure(
    failed: Failed, item: ClaimedDownload, bytes_done: int, max_retries: int
) -> NextStep:
    if failed.problem.code == "bandwidth_used_up":
        return wait_for(failed.retry_after or _TRAFFIC_LIMIT_SECONDS)
    attempts = item.attempts + 1
    progress = {"attempts": attempts, "bytes_done": bytes_done}
    if failed.problem.code in NEEDS_USER:
        return NextStep(store.stop, progress)
    if failed.offline:
        return NextStep(store.fail, {"online": "offline", **progress})
    if not _is_retryable(failed, item) or attempts > max_retries:
        return NextStep(store.fail, progress)
    later = wait_for(retry_delay(attempts, failed.retry_after))
    return later._replace(values={**later.values, **progress})


def named(problem: Problem, name: str) -> Problem:
    """Name what the user knows in an error about a full disk, and not the temporary file."""
    if problem.code in SPACE_ERRORS:
        return Problem(problem.code, {**problem.inputs, "path": name})
    return problem


def wait_for(seconds: float) -> NextStep:
    """The hoster named the waiting time; such an attempt is not counted."""
    return NextStep(store.wait, {"retry_at": int((time.time() + seconds) * 1000)})


def _is_retryable(failed: Failed, item: ClaimedDownload) -> bool:
    # A plain link to a web page leads there each time; a plugin finds another address.
    is_page = failed.problem.code == "web_page" and item.plugin_id is None
    return failed.retryable and not is_page


def retry_delay(attempt: int, asked: float | None = None) -> float:
    """Return the delay before the next attempt; `asked` is a delay the server requested."""
    doubled: float = FIRST_RETRY_SECONDS * 2 ** min(attempt - 1, 10)
    return max(min(doubled, MAX_RETRY_SECONDS), asked or 0.0)
