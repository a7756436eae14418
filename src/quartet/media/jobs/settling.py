"""From a target to a state: what is ready, and what a person has to look at."""

import hashlib
import os
from collections.abc import Callable, Iterable
from itertools import groupby

from quartet.media.jobs.layout import Layout
from quartet.media.jobs.rows import ItemRow
from quartet.media.moves.names import sameness

Exists = Callable[[str], bool]


def aim(item: ItemRow, layout: Layout, rendered: str | None) -> None:
    """Sets the target; one that was given by hand wins."""
    item.target = _by_hand(item, layout) if item.override_target else rendered
    item.target_key = None if item.target is None else target_key(item.target)


def target_key(target: str) -> str:
    """Short, and equal for targets that are one file on some disk."""
    return hashlib.blake2b(os.fsencode(sameness(target)), digest_size=16).hexdigest()


def settle(item: ItemRow, layout: Layout, exists: Exists) -> None:
    """What was done stays done."""
    if item.state == "done":
        return
    item.error = None
    item.reasons = list(item.match.reasons) if item.match else []
    item.conflict = None
    if item.target is None:
        _without_target(item, layout)
    elif item.target == item.source:
        item.state = "skipped"
        item.reasons.append("same_path")
    else:
        sure = item.approved or bool(item.override_target) or _is_sure(item, layout)
        item.state = "ready" if sure else "needs_review"
        if not sure:
            item.reasons.append("review" if layout.config.review else "below_threshold")
        if exists(item.target) and sameness(item.target) != sameness(item.source):
            item.conflict = "exists"
    if item.excluded:
        item.state = "skipped"


def mark_twins(items: Iterable[ItemRow], layout: Layout) -> None:
    """Two files for one name: the first keeps it, the others wait for a person."""
    if layout.config.conflict_policy == "suffix":
        return
    live = [one for one in items if not one.excluded and one.state not in ("done", "skipped")]
    live.sort(key=lambda one: (one.target_key or "", one.id))
    for _, group in groupby(live, key=lambda one: one.target_key):
        first, *others = group
        for item in others:
            item.state = "needs_review"
            item.reasons.append("duplicate_target")
            first.conflict = item.conflict = "duplicate"


def _without_target(item: ItemRow, layout: Layout) -> None:
    item.state = "needs_review"
    if item.match and item.match.best and layout.base(item) is None:
        item.reasons.append("no_library")
    elif item.match and item.match.error:
        item.error = item.match.error
    elif item.match and item.match.alternatives:
        item.reasons.append("below_threshold")


def _is_sure(item: ItemRow, layout: Layout) -> bool:
    return item.confidence >= layout.threshold


def _by_hand(item: ItemRow, layout: Layout) -> str | None:
    """With the extension of the file, wherever it lies."""
    given = item.override_target or ""
    _, dot, extension = item.name.rpartition(".")
    if dot and not item.is_folder and not given.lower().endswith(f".{extension.lower()}"):
        given = f"{given}.{extension}"
    if given.startswith("/"):
        return given
    base = layout.base(item)
    return None if base is None else f"{base}/{given}"
