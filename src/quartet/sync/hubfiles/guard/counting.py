"""Counts what pending changes would destroy; pure functions."""

from collections.abc import Iterable
from pathlib import PurePosixPath
from typing import NamedTuple

from quartet.sync.hub.types import PendingChange


class Move(NamedTuple):
    # The engine id of the device.
    device: str
    before: str
    after: str


class Counted(NamedTuple):
    # Files that each device deletes or replaces, by engine id.
    lost: dict[str, list[PendingChange]]
    moved: list[Move]


def count_files(changes: Iterable[PendingChange]) -> Counted:
    """Divide changes into lost and moved files.

    A file that moves to another folder with the same name and size is not lost. A renamed file is,
    because malware renames the files that it encrypts.
    """
    changes = list(changes)
    added: dict[tuple[str | None, str, int], list[str]] = {}
    for each in changes:
        if each.action == "added":
            added.setdefault(_identity(each), []).append(each.path)
    counted = Counted({}, [])
    for each in changes:
        if each.device is None or each.action == "added":
            continue
        if each.action == "deleted" and (copies := added.get(_identity(each))):
            counted.moved.append(Move(each.device, each.path, copies.pop()))
        else:
            counted.lost.setdefault(each.device, []).append(each)
    return counted


def count_waiting(changes: Iterable[PendingChange]) -> dict[str, int]:
    """Return how many files each known device deletes or replaces; new files do not wait."""
    found: dict[str, int] = {}
    for each in changes:
        if each.action != "added" and each.device is not None:
            found[each.device] = found.get(each.device, 0) + 1
    return found


def name_of(path: str) -> str:
    return PurePosixPath(path).name


def _identity(change: PendingChange) -> tuple[str | None, str, int]:
    return change.device, name_of(change.path), change.size
