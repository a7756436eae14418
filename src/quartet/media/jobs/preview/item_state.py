"""Sets the target, conflict and state of items."""

import hashlib
import os
from collections.abc import Callable, Iterable
from functools import cache, partial
from itertools import groupby
from typing import Literal
from unicodedata import normalize

from quartet.kernel.errors import AppError
from quartet.media.jobs.preview.target_layout import TargetLayout
from quartet.media.jobs.records import ItemRecord
from quartet.media.moves.generated_names import collision_key
from quartet.media.moves.release_quality import ReleaseQuality, is_better
from quartet.media.names.types import Release
from quartet.media.roots.folder_access import FolderAccess

Exists = Callable[[str], bool]
# The share of the size of the movie below which a file is more likely an extra.
_SMALL = 0.3
_FORMS: tuple[Literal["NFC", "NFD"], ...] = ("NFC", "NFD")


def target_exists(access: FolderAccess, leaving: frozenset[str] = frozenset()) -> Exists:
    """Return a blocking check for existing targets; paths leaving in this job do not count."""
    # The targets of a job are in far fewer folders, most of which do not exist yet.
    folder_exists = cache(partial(_exists, access))

    def exists(path: str) -> bool:
        if path in leaving:
            return False
        return folder_exists(path.rpartition("/")[0]) and _exists(access, path)

    return exists


def _exists(access: FolderAccess, path: str) -> bool:
    # A disk may have the same text in another Unicode form.
    forms = {path} if path.isascii() else {path, *(normalize(one, path) for one in _FORMS)}
    try:
        locations = [access.resolve(one) for one in forms]
        return any(location.root.exists(location.parts) for location in locations)
    except AppError:
        return False


def set_target(item: ItemRecord, layout: TargetLayout, rendered: str | None) -> None:
    """Set the target. A target set by a user takes precedence."""
    item.target = _target_from_override(item, layout) if item.override_target else rendered
    item.target_key = None if item.target is None else target_key(item.target)


def target_key(target: str) -> str:
    """Return a short key that is equal for targets that could be the same file on some disk."""
    return hashlib.blake2b(os.fsencode(collision_key(target)), digest_size=16).hexdigest()


def update_state(item: ItemRecord, layout: TargetLayout, exists: Exists) -> None:
    """Update state, reasons and conflict, except for items that are done."""
    if item.state == "done":
        return
    item.error = None
    item.reasons = list(item.match.reasons) if item.match else []
    item.conflict = None
    if item.parsed and item.parsed.extra:
        item.reasons.append("extra")
    if item.target is None and _is_left(item, layout):
        item.state = "skipped"
        item.reasons.append("extra_left")
    elif item.target is None:
        _without_target(item, layout)
    elif item.target == item.source:
        item.state = "skipped"
        item.reasons.append("same_path")
    else:
        confident = item.approved or bool(item.override_target) or _is_confident(item, layout)
        item.state = "ready" if confident else "needs_review"
        if not confident:
            item.reasons.append("review" if layout.config.review else "below_threshold")
        if exists(item.target) and collision_key(item.target) != collision_key(item.source):
            item.conflict = "exists"
    if item.excluded:
        item.state = "skipped"


def _is_left(item: ItemRecord, layout: TargetLayout) -> bool:
    extra = item.parsed is not None and item.parsed.extra is not None
    return extra and (layout.config.in_place or layout.extras != "file")


def mark_duplicates(items: Iterable[ItemRecord], layout: TargetLayout) -> None:
    """If several items have the same target, one keeps it and the others need review.

    A much larger file keeps it, because the movie is larger than its extras; otherwise the first.
    Files that need review anyway do not take it from one that is ready.
    """
    policy = layout.config.conflict_policy
    if policy == "suffix":
        return
    live = [one for one in items if not one.excluded and one.state not in ("done", "skipped")]
    live.sort(key=lambda one: (one.target_key or "", one.id))
    for _, group in groupby(live, key=lambda one: one.target_key):
        sharing = list(group)
        if len(sharing) > 1:
            _settle(sharing, keep_better=policy == "keep_better")


def _settle(sharing: list[ItemRecord], *, keep_better: bool) -> None:
    ready = [one for one in sharing if one.state == "ready"]
    first = (_best if keep_better else _largest)(ready or sharing)
    for item in sharing:
        if item is first:
            continue
        competes = item in ready or not ready
        if keep_better and competes and _is_worse(item, first):
            item.state = "skipped"
            item.reasons.append("worse_release")
            continue
        item.state, item.conflict = "needs_review", "duplicate"
        if "duplicate_target" not in item.reasons:
            item.reasons.append("duplicate_target")
        if competes:
            first.conflict = first.conflict or "duplicate"


def _largest(sharing: list[ItemRecord]) -> ItemRecord:
    largest = max(sharing, key=lambda one: one.size)
    return largest if sharing[0].size < _SMALL * largest.size else sharing[0]


def _best(sharing: list[ItemRecord]) -> ItemRecord:
    best = sharing[0]
    for item in sharing[1:]:
        if _is_worse(best, item):
            best = item
    return best


def _is_worse(item: ItemRecord, other: ItemRecord) -> bool:
    return bool(is_better(_quality(other), _quality(item)))


def _quality(item: ItemRecord) -> ReleaseQuality:
    """Return what the name tells about the quality, and the size."""
    release = item.parsed.release if item.parsed else Release()
    channels = release.audio_channels
    return ReleaseQuality(
        resolution=release.resolution,
        source=release.source,
        hdr=release.hdr,
        video_codec=release.video_codec,
        audio_codec=release.audio_codec,
        audio_channels=float(channels) if channels else None,
        proper=release.proper or release.repack,
        size=item.size,
    )


def _without_target(item: ItemRecord, layout: TargetLayout) -> None:
    item.state = "needs_review"
    if item.match and item.match.best and layout.base(item) is None:
        item.reasons.append("no_library")
    elif item.match and item.match.error:
        item.error = item.match.error
    elif item.match and item.match.alternatives:
        item.reasons.append("below_threshold")


def _is_confident(item: ItemRecord, layout: TargetLayout) -> bool:
    return item.confidence >= layout.threshold


def _target_from_override(item: ItemRecord, layout: TargetLayout) -> str | None:
    """Return the user's target, with the extension of the file."""
    given = item.override_target or ""
    _, dot, extension = item.name.rpartition(".")
    if dot and not item.is_folder and not given.lower().endswith(f".{extension.lower()}"):
        given = f"{given}.{extension}"
    if given.startswith("/"):
        return given
    base = layout.base(item)
    return None if base is None else f"{base}/{given}"
