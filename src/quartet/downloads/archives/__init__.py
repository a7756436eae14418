"""Archives: which files are one, what is inside, and how it gets out without doing harm."""

from quartet.downloads.archives.extract import extract, list_members
from quartet.downloads.archives.passwords import ordered
from quartet.downloads.archives.sets import archive_set_of, archive_sets, find_sets
from quartet.downloads.archives.staging import sweep
from quartet.downloads.archives.types import (
    ArchiveSet,
    Extracted,
    Limits,
    Listing,
    Member,
    StillPacked,
)
from quartet.downloads.archives.volumes import require_all_parts

__all__ = [
    "ArchiveSet",
    "Extracted",
    "Limits",
    "Listing",
    "Member",
    "StillPacked",
    "archive_set_of",
    "archive_sets",
    "extract",
    "find_sets",
    "list_members",
    "ordered",
    "require_all_parts",
    "sweep",
]
