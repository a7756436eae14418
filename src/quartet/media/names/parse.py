"""Entry point of the name parser."""

from collections.abc import Sequence

from msgspec.structs import replace

from quartet.media.names import extra_files
from quartet.media.names.folder_context import parse_in_folders
from quartet.media.names.single_name import read_name, without_extension
from quartet.media.names.types import Parsed


def parse(name: str, folders: Sequence[str] = ()) -> Parsed:
    """Parse a file name; `folders` are the names of its parent folders, outermost first."""
    if extra := extra_files.find(name, folders):
        parsed = parse_whole(extra.name, extra.folders)
        series = extra.of_series and not parsed.year
        return replace(
            parsed,
            kind=replace(parsed.kind, value="episode") if series else parsed.kind,
            extra=extra.kind,
            extra_title=extra.title,
            sample=extra.kind == "sample",
            part=None,
            extension=without_extension(name)[1],
        )
    return parse_whole(name, folders)


def parse_whole(name: str, folders: Sequence[str]) -> Parsed:
    return parse_in_folders(name, folders) if folders else read_name(name).parsed
