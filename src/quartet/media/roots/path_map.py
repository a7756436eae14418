"""Maps paths between this service and other containers."""

import logging
import posixpath
from collections.abc import Iterable

from quartet.media.roots.allowed_folders import is_within

log = logging.getLogger("quartet.media.roots")


class PathMap:
    """Pairs `from:to`; the longest matching prefix wins."""

    def __init__(self, pairs: Iterable[tuple[str, str]]) -> None:
        self._pairs = sorted(pairs, key=lambda pair: len(pair[0]), reverse=True)

    @classmethod
    def parse(cls, entries: Iterable[str]) -> "PathMap":
        """Log and skip invalid entries."""
        pairs = []
        for entry in entries:
            before, _, after = entry.partition(":")
            if before.startswith("/") and after.startswith("/"):
                pairs.append((posixpath.normpath(before), posixpath.normpath(after)))
            else:
                log.warning("path map entry ignored, not <path>:<path>: %r", entry)
        return cls(pairs)

    def map_path(self, path: str) -> str:
        for before, after in self._pairs:
            if is_within(path, before):
                rest = path[len(before.rstrip("/")) :].strip("/")
                return posixpath.join(after, rest) if rest else after
        return path
