"""Paths as other containers know them, turned into ours or ours into theirs."""

import logging
import posixpath
from collections.abc import Iterable

from quartet.media.roots.allowed import is_within

log = logging.getLogger("quartet.media.roots")


class PathMap:
    """Pairs `from:to`; the longest of the first that holds a path decides."""

    def __init__(self, pairs: Iterable[tuple[str, str]]) -> None:
        self._pairs = sorted(pairs, key=lambda pair: len(pair[0]), reverse=True)

    @classmethod
    def parse(cls, entries: Iterable[str]) -> "PathMap":
        """A bad entry is logged and left out: the others still help."""
        pairs = []
        for entry in entries:
            before, _, after = entry.partition(":")
            if before.startswith("/") and after.startswith("/"):
                pairs.append((posixpath.normpath(before), posixpath.normpath(after)))
            else:
                log.warning("ignored in a path map: %r is not <path>:<path>", entry)
        return cls(pairs)

    def mapped(self, path: str) -> str:
        for before, after in self._pairs:
            if is_within(path, before):
                rest = path[len(before.rstrip("/")) :].strip("/")
                return posixpath.join(after, rest) if rest else after
        return path
