"""Counts what pending changes would destroy; pure functions."""

from collections import Counter
from collections.abc import Iterable
from pathlib import PurePosixPath

from quartet.sync.hub.types import PendingChange


def lost_files(changes: Iterable[PendingChange]) -> dict[str, list[PendingChange]]:
    """Return the files that each device deletes or replaces, by engine id.

    A file that moves to another folder with the same name and size does not count. A renamed file
    counts, because malware renames the files that it encrypts.
    """
    changes = list(changes)
    added = Counter(_identity(each) for each in changes if each.action == "added")
    lost: dict[str, list[PendingChange]] = {}
    for each in changes:
        if each.device is None or each.action == "added":
            continue
        if each.action == "deleted" and added[_identity(each)] > 0:
            added[_identity(each)] -= 1
        else:
            lost.setdefault(each.device, []).append(each)
    return lost


def _identity(change: PendingChange) -> tuple[str | None, str, int]:
    return change.device, PurePosixPath(change.path).name, change.size
