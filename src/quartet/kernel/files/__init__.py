"""File operations: paths that cannot leave a root folder, portable names, safe moves."""

from quartet.kernel.files.atomic import TEMPORARY_PREFIX, write_atomic
from quartet.kernel.files.moves import move
from quartet.kernel.files.names import MAX_NAME_BYTES, safe_name, split_extension, unique_name
from quartet.kernel.files.natural_order import natural_sort_key
from quartet.kernel.files.paths import RelativePath
from quartet.kernel.files.root import Entry, Root

__all__ = [
    "MAX_NAME_BYTES",
    "TEMPORARY_PREFIX",
    "Entry",
    "RelativePath",
    "Root",
    "move",
    "natural_sort_key",
    "safe_name",
    "split_extension",
    "unique_name",
    "write_atomic",
]
