"""Paths as other containers know them, turned into ours."""

import logging
import posixpath
from collections.abc import Iterable

log = logging.getLogger("quartet.media.roots")


class PathMap:
    """Pairs `theirs:ours`; the longest of theirs that holds a path decides."""

    def __init__(self, pairs: Iterable[tuple[str, str]]) -> None:
        self._pairs = sorted(pairs, key=lambda pair: len(pair[0]), reverse=True)

    @classmethod
    def parse(cls, entries: Iterable[str]) -> "PathMap":
        """A bad entry is logged and left out: the others still help."""
        pairs = []
        for entry in entries:
            theirs, _, ours = entry.partition(":")
            if theirs.startswith("/") and ours.startswith("/"):
                pairs.append((posixpath.normpath(theirs), posixpath.normpath(ours)))
            else:
                log.warning("ignored in APP_PATH_MAP: %r is not <their path>:<our path>", entry)
        return cls(pairs)

    def ours(self, path: str) -> str:
        for theirs, ours in self._pairs:
            stem = theirs.rstrip("/")
            if path == theirs or path.startswith(f"{stem}/"):
                rest = path[len(stem) :].strip("/")
                return posixpath.join(ours, rest) if rest else ours
        return path
