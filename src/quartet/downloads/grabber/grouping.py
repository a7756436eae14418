"""Groups files by their names: parts of an archive, episodes of a series, mirrors of a file."""

import re
from collections.abc import Hashable, Iterable, Sequence
from typing import TypeVar

from quartet.downloads.links.naming import package_name

Item = TypeVar("Item", bound=Hashable)

# An episode and all that follows it, such as its title and resolution.
_EPISODE = re.compile(r"[\s._-]*(?:S\d{1,3}[\s._-]?E\d{1,4}|\b\d{1,2}x\d{2,3}\b).*$", re.IGNORECASE)
# What hosters and browsers add to the name of a copy.
_COPY = re.compile(r"\s*\(\d{1,3}\)$")
_BREAKS = re.compile(r"[\s._-]+")


def group_key(name: str) -> str:
    """Return what the names of files that belong together have in common."""
    stem = _COPY.sub("", package_name([name]))
    return _BREAKS.sub(" ", _EPISODE.sub("", stem) or stem).strip().casefold()


def grouped(items: Iterable[tuple[Item, str]]) -> list[list[Item]]:
    """Return the items by the keys of their names, in the order of the first of each."""
    groups: dict[str, list[Item]] = {}
    for item, name in items:
        groups.setdefault(group_key(name), []).append(item)
    return list(groups.values())


def group_name(names: Sequence[str]) -> str:
    """Return the name of a package for a group."""
    stems = [_COPY.sub("", package_name([name])) for name in names]
    series = [_EPISODE.sub("", stem) or stem for stem in stems]
    return package_name(series) if len(names) > 1 else stems[0]
