from typing import NamedTuple

import msgspec

# More entries are not listed.
MOST_ENTRIES = 2000
MOST_FOUND = 500


class FileEntry(msgspec.Struct, frozen=True, rename="camel"):
    path: str
    name: str
    is_folder: bool
    size: int
    modified_at: int


class Listing(msgspec.Struct, frozen=True):
    """Folders first; `truncated` if there are more entries."""

    entries: list[FileEntry]
    truncated: bool


class Uploaded(msgspec.Struct, frozen=True):
    path: str
    size: int


class FileOrVersion(NamedTuple):
    """A file of a folder, or one of its versions."""

    path: str
    at: int | None = None
