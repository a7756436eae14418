"""Archives: which files are one, and how what is inside gets out without doing harm."""

from quartet.downloads.archives.extract import extract
from quartet.downloads.archives.passwords import ordered
from quartet.downloads.archives.sets import find_sets, is_meant_to_be_unpacked
from quartet.downloads.archives.staging import sweep
from quartet.downloads.archives.types import ArchiveSet, Extracted, Limits
from quartet.downloads.archives.volumes import require_all_parts

__all__ = [
    "ArchiveSet",
    "Extracted",
    "Limits",
    "extract",
    "find_sets",
    "is_meant_to_be_unpacked",
    "ordered",
    "require_all_parts",
    "sweep",
]
