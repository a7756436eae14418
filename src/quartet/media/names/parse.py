"""The one door: what a name says about the film or episode in the file."""

from collections.abc import Sequence

from quartet.media.names.context import in_folders
from quartet.media.names.name import read_name
from quartet.media.names.types import Parsed


def parse(name: str, folders: Sequence[str] = ()) -> Parsed:
    """`folders` are the names of the folders around the file, the outermost first."""
    return in_folders(name, folders) if folders else read_name(name).parsed
