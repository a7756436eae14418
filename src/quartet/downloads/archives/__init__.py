"""Archives: detects which files form one archive, and extracts it safely."""

from quartet.downloads.archives.extract import extract
from quartet.downloads.archives.passwords import ordered_passwords
from quartet.downloads.archives.sets import find_sets, is_extractable
from quartet.downloads.archives.staging import sweep
from quartet.downloads.archives.types import ArchiveSet, Extracted, ExtractionLimits
from quartet.downloads.archives.volumes import are_pieces, require_all_parts

__all__ = [
    "ArchiveSet",
    "Extracted",
    "ExtractionLimits",
    "are_pieces",
    "extract",
    "find_sets",
    "is_extractable",
    "ordered_passwords",
    "require_all_parts",
    "sweep",
]
