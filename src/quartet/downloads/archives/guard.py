"""Limits of an extraction: cancellation, time, and protection from archive bombs."""

import os
import time
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from quartet.downloads.archives.types import ArchiveListing, Cancelled, ExtractionLimits
from quartet.kernel.errors import AppError

_COUNT_SECONDS = 0.25


class ExtractedSize(NamedTuple):
    bytes: int
    members: int


class ExtractionGuard:
    """Enforces the limits of one extraction, including all archives inside it."""

    def __init__(
        self, archive: str, packed: int, limits: ExtractionLimits, cancelled: Cancelled | None
    ) -> None:
        self.archive = archive
        self.limits = limits
        self._cancelled = cancelled
        self._deadline = time.monotonic() + limits.seconds
        self._by_ratio = max(limits.small, packed * limits.ratio)
        self._bytes = 0
        self._members = 0

    @property
    def largest_file(self) -> int:
        """Return the maximum length of a single file, independent of the listing."""
        room = min(self.limits.bytes, self._by_ratio) - self._bytes
        return max(0, min(self.limits.file, room))

    def add(self, size: ExtractedSize) -> None:
        self._bytes += size.bytes
        self._members += size.members

    def check(self) -> None:
        if self._cancelled and self._cancelled():
            raise AppError(409, "cancelled", path=self.archive)
        if time.monotonic() > self._deadline:
            seconds = self.limits.seconds
            raise AppError(422, "extraction_timed_out", archive=self.archive, seconds=seconds)

    def check_listing(self, listing: ArchiveListing) -> None:
        largest = max((member.size or 0 for member in listing.members), default=0)
        self._check_size(ExtractedSize(listing.total, len(listing.members)))
        if largest > self.limits.file:
            raise self.bomb_error("file", self.limits.file, largest)

    def check_members(self, count: int) -> None:
        if self._members + count > self.limits.members:
            raise self.bomb_error("members", self.limits.members, self._members + count)

    def check_depth(self, depth: int) -> None:
        if depth > self.limits.depth:
            raise self.bomb_error("depth", self.limits.depth, depth)

    def too_long(self) -> AppError:
        """Return the error for a single file that became too long."""
        limits = self.limits
        allowed = {"bytes": limits.bytes, "ratio": self._by_ratio, "file": limits.file}
        limit = min(allowed, key=lambda name: allowed[name])
        return self.bomb_error(limit, allowed[limit], self._bytes + self.largest_file)

    def bomb_error(self, limit: str, allowed: int, found: int) -> AppError:
        inputs = {"limit": limit, "allowed": allowed, "found": found}
        return AppError(422, "archive_bomb", archive=self.archive, **inputs)

    def watch(self, folder: Path) -> Callable[[], None]:
        """Return a check to be called often while a program writes to the folder."""
        next_count = time.monotonic()

        def check_progress() -> None:
            nonlocal next_count
            self.check()
            begun = time.monotonic()
            if begun >= next_count:
                self._check_size(size_of(folder))
                # Counting many files is slow, so limit it to a tenth of the time.
                now = time.monotonic()
                next_count = now + max(_COUNT_SECONDS, 10 * (now - begun))

        return check_progress

    def _check_size(self, more: ExtractedSize) -> None:
        self.check_members(more.members)
        total = self._bytes + more.bytes
        if total > self.limits.bytes:
            raise self.bomb_error("bytes", self.limits.bytes, total)
        if total > self._by_ratio:
            raise self.bomb_error("ratio", self._by_ratio, total)


def size_of(folder: Path) -> ExtractedSize:
    """Return bytes and entries below a folder that may be changing."""
    total, members = 0, 0
    waiting = [str(folder)]
    while waiting:
        try:
            with os.scandir(waiting.pop()) as entries:
                for entry in entries:
                    members += 1
                    if entry.is_dir(follow_symlinks=False):
                        waiting.append(entry.path)
                    else:
                        total += entry.stat(follow_symlinks=False).st_size
        except OSError:
            continue  # removed in the meantime, or not readable yet
    return ExtractedSize(total, members)
