"""What stops a run: the person, the clock, and an archive that grows beyond all bounds."""

import os
import time
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from quartet.downloads.archives.types import Cancelled, Limits, Listing
from quartet.kernel.errors import AppError

_LOOK_SECONDS = 0.25


class Size(NamedTuple):
    bytes: int
    members: int


class Guard:
    """Holds one extraction, with all archives inside it, to its limits."""

    def __init__(
        self, archive: str, packed: int, limits: Limits, cancelled: Cancelled | None
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
        """No file may be longer, whatever the listing said."""
        room = min(self.limits.bytes, self._by_ratio) - self._bytes
        return max(0, min(self.limits.file, room))

    def add(self, size: Size) -> None:
        self._bytes += size.bytes
        self._members += size.members

    def check(self) -> None:
        if self._cancelled and self._cancelled():
            raise AppError(409, "cancelled", path=self.archive)
        if time.monotonic() > self._deadline:
            seconds = self.limits.seconds
            raise AppError(422, "extraction_timed_out", archive=self.archive, seconds=seconds)

    def check_listing(self, listing: Listing) -> None:
        largest = max((member.size or 0 for member in listing.members), default=0)
        self._check_size(Size(listing.total, len(listing.members)))
        if largest > self.limits.file:
            raise self.bomb("file", self.limits.file, largest)

    def check_members(self, count: int) -> None:
        if self._members + count > self.limits.members:
            raise self.bomb("members", self.limits.members, self._members + count)

    def check_depth(self, depth: int) -> None:
        if depth > self.limits.depth:
            raise self.bomb("depth", self.limits.depth, depth)

    def outgrown(self) -> AppError:
        """A single file became longer than any may be."""
        limits = self.limits
        allowed = {"bytes": limits.bytes, "ratio": self._by_ratio, "file": limits.file}
        limit = min(allowed, key=lambda name: allowed[name])
        return self.bomb(limit, allowed[limit], self._bytes + self.largest_file)

    def bomb(self, limit: str, allowed: int, found: int) -> AppError:
        inputs = {"limit": limit, "allowed": allowed, "found": found}
        return AppError(422, "archive_bomb", archive=self.archive, **inputs)

    def watching(self, folder: Path) -> Callable[[], None]:
        """A check to be called often while a program writes there."""
        next_look = time.monotonic()

        def look() -> None:
            nonlocal next_look
            self.check()
            begun = time.monotonic()
            if begun >= next_look:
                self._check_size(size_of(folder))
                # A look at many files takes long; it shall not take most of the time.
                now = time.monotonic()
                next_look = now + max(_LOOK_SECONDS, 10 * (now - begun))

        return look

    def _check_size(self, more: Size) -> None:
        self.check_members(more.members)
        total = self._bytes + more.bytes
        if total > self.limits.bytes:
            raise self.bomb("bytes", self.limits.bytes, total)
        if total > self._by_ratio:
            raise self.bomb("ratio", self._by_ratio, total)


def size_of(folder: Path) -> Size:
    """Bytes and entries below a folder that may be changing."""
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
            continue  # gone meanwhile, or not yet ours to read
    return Size(total, members)
