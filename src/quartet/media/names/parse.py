"""Entry point of the name parser."""

from collections.abc import Sequence

from quartet.media.names.folder_context import parse_in_folders
from quartet.media.names.single_name import read_name
from quartet.media.names.types import Parsed


def parse(name: str, folders: Sequence[str] = ()) -> Parsed:
    """Parse a file name; `folders` are the names of its parent folders, outermost first."""
    return parse_in_folders(name, folders) if folders else read_name(name).parsed
