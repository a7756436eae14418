"""Sessions of aria2: the addresses of a file in one line, then its options in indented lines."""

import re
from collections.abc import Iterator
from typing import NamedTuple

from quartet.downloads.containers.detect import text_of
from quartet.downloads.containers.metalink import known_hash
from quartet.downloads.containers.types import ContainerPackage, FileDetails
from quartet.kernel.files import safe_name

_SEPARATORS = re.compile(r"[/\\]")


class _SessionEntry(NamedTuple):
    addresses: list[str]
    options: dict[str, str]


def packages_of_session(content: bytes) -> list[ContainerPackage]:
    """Return a package for each folder, because a session has no packages."""
    folders: dict[str, list[_SessionEntry]] = {}
    for entry in _entries(text_of(content)):
        folders.setdefault(entry.options.get("dir", ""), []).append(entry)
    return [_package(folder, entries) for folder, entries in folders.items()]


def _entries(text: str) -> Iterator[_SessionEntry]:
    entry: _SessionEntry | None = None
    for line in text.splitlines():
        if line[:1].isspace():
            name, _, value = line.strip().partition("=")
            if entry and value:
                entry.options[name] = value
        elif line and not line.startswith("#"):
            if entry:
                yield entry
            entry = _SessionEntry([each for each in line.split("\t") if each], {})
    if entry:
        yield entry


def _package(folder: str, entries: list[_SessionEntry]) -> ContainerPackage:
    name = _SEPARATORS.split(folder.rstrip("/\\"))[-1]
    links = "\n".join(entry.addresses[0] for entry in entries)
    details = {entry.addresses[0]: _details(entry) for entry in entries}
    return ContainerPackage(safe_name(name) if name else "", links, details)


def _details(entry: _SessionEntry) -> FileDetails:
    name = _SEPARATORS.split(entry.options.get("out", ""))[-1]
    kind, _, value = entry.options.get("checksum", "").partition("=")
    hash_type, hash_value = known_hash(kind, value) or (None, None)
    return FileDetails(
        safe_name(name) if name else "", hash_type, hash_value, None, entry.addresses[1:]
    )
