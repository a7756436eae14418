"""Finds out how a folder looked at an earlier time; these functions block.

A version is named by the time at which its content was replaced or deleted. The content of a file
at a time is therefore its first version since then, or the current file if there is none, provided
that the content existed at all. The birth time on the disk says when the hub received it. Where it
is unknown, or where the whole folder was copied to this disk later, the modification time counts.
"""

import os
import time
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from typing import NamedTuple

from quartet.kernel.errors import AppError
from quartet.kernel.files import Root
from quartet.kernel.files.beneath import Parts
from quartet.kernel.files.syscalls import birth_time
from quartet.sync.hubfiles import walk
from quartet.sync.hubfiles.folder_on_disk import FolderOnDisk
from quartet.sync.hubfiles.names import conflict_copy, is_temporary, path_sort_key
from quartet.sync.hubfiles.restores.types import Action
from quartet.sync.hubfiles.versions.archive import interval_at, kept_versions

_BLOCK = 1024 * 1024


class Source(NamedTuple):
    """Where the content of a file is since it was replaced or deleted."""

    root: Root
    parts: Parts
    at: int
    size: int
    # When the hub received the content.
    since: float
    is_version: bool


class Step(NamedTuple):
    path: Parts
    action: Action
    size: int
    source: Source | None = None


@dataclass
class RestorePlan:
    steps: list[Step] = field(default_factory=list)
    kept: int = 0


class PastMoment(NamedTuple):
    """A time, and until when versions have been thinned out since."""

    before: int
    thinned_at: float


@dataclass
class _History:
    """What is known about one path."""

    # The first content that was replaced since the time.
    first: Source | None = None
    # When the last content before the time was replaced or deleted.
    last: int | None = None

    def add(self, source: Source, before: int) -> None:
        if source.at < before:
            self.last = max(source.at, self.last or 0)
        elif self.first is None or source.at < self.first.at:
            self.first = source

    def has(self, since: float, moment: PastMoment) -> bool:
        """Return whether the file existed at the time, given when its next known content began.

        The content of the time itself may have been thinned out. Then the next one is the best.
        """
        if since < moment.before:
            return True
        if self.last is None or since > moment.thinned_at:
            return False
        return since - self.last < interval_at(time.time() - since)


class _Ages:
    def __init__(self, folder: FolderOnDisk, before: int) -> None:
        birth = None
        # The folder does not exist before the first device syncs it.
        with suppress(AppError), folder.files.folder(()) as top:
            birth = birth_time(top)
        # False if the files were copied to this disk: their births say only when.
        self.are_births = birth is not None and birth < before

    def since(self, folder: int, entry: os.DirEntry[str], until: float | None = None) -> float:
        """Return when the hub received the content, which was replaced at `until`."""
        birth = birth_time(folder, entry.name) if self.are_births else None
        # A version that was born after the replacement was copied from another disk.
        if birth is None or (until is not None and birth > until + 1):
            return entry.stat(follow_symlinks=False).st_mtime
        return birth


def make_plan(folder: FolderOnDisk, below: Parts, moment: PastMoment) -> RestorePlan:
    """Return what must change so that everything below a path is as it was before a time."""
    before = moment.before
    ages = _Ages(folder, before)
    histories = _histories(folder, below, before, ages)
    plan = RestorePlan()
    seen: set[Parts] = set()
    for each in _current(folder, below):
        seen.add(each.parts)
        step = _step(folder, each, histories.get(each.parts, _History()), ages, moment)
        if step is None:
            plan.kept += 1
        else:
            plan.steps.append(step)
    for path, history in histories.items():
        first = history.first
        if path not in seen and first is not None and history.has(first.since, moment):
            plan.steps.append(Step(path, "restored", first.size, first))
    plan.steps.sort(key=lambda step: path_sort_key("/".join(step.path)))
    return plan


def _histories(
    folder: FolderOnDisk, below: Parts, before: int, ages: _Ages
) -> dict[Parts, _History]:
    found: dict[Parts, _History] = {}
    for known, root, each in kept_versions(folder, below):
        source = _source(root, each, known.at, ages, is_version=True)
        if source is not None:
            found.setdefault(known.of, _History()).add(source, before)
    # The engine renames a file to a conflict copy instead of making a version of it.
    for each in walk.files(folder.files, _folder_of(folder.files, below)):
        copy = conflict_copy(each.parts[-1])
        if copy is None or copy.at < before:
            continue
        of = (*each.parts[:-1], copy.name)
        source = _source(folder.files, each, copy.at, ages, is_version=False)
        if of[: len(below)] == below and source is not None and source.since < before:
            found.setdefault(of, _History()).add(source, before)
    return found


def _source(
    root: Root, each: walk.FoundFile, at: int, ages: _Ages, *, is_version: bool
) -> Source | None:
    try:
        size = each.entry.stat(follow_symlinks=False).st_size
        since = ages.since(each.folder, each.entry, at)
    except OSError:
        return None
    return Source(root, each.parts, at, size, since, is_version)


def _current(folder: FolderOnDisk, below: Parts) -> Iterator[walk.FoundFile]:
    """Yield the files below a path, or the file itself; skip those that are still arriving."""
    for each in walk.files(folder.files, _folder_of(folder.files, below)):
        if each.parts[: len(below)] == below and not is_temporary(each.parts[-1]):
            yield each


def _folder_of(root: Root, below: Parts) -> Parts:
    """Return the path if it is a folder, otherwise the folder that contains it."""
    try:
        with root.folder(below):
            return below
    except AppError:
        return below[:-1]


def _step(
    folder: FolderOnDisk, each: walk.FoundFile, history: _History, ages: _Ages, moment: PastMoment
) -> Step | None:
    """Return what must happen to an existing file; None if it stays."""
    try:
        size = each.entry.stat(follow_symlinks=False).st_size
        since = ages.since(each.folder, each.entry)
    except OSError:
        return None
    first = history.first
    # A conflict copy waits for a decision, and may hold the content of the time.
    if conflict_copy(each.parts[-1]) or (since < moment.before and ages.are_births):
        return None
    if first is None or not history.has(first.since, moment):
        is_kept = since < moment.before if first else history.has(since, moment)
        return None if is_kept else Step(each.parts, "removed", size)
    if size == first.size and _same_content(folder.files, each.parts, first):
        return None
    return Step(each.parts, "replaced", first.size, first)


def _same_content(root: Root, path: Parts, source: Source) -> bool:
    try:
        with root.open(path) as one, source.root.open(source.parts) as other:
            while True:
                block = one.read(_BLOCK)
                if block != other.read(_BLOCK):
                    return False
                if not block:
                    return True
    except AppError:
        return False
