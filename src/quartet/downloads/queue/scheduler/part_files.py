"""The part files that an ended process has left."""

from collections.abc import Mapping
from pathlib import Path

from quartet.downloads.queue.finish.done_folder import part_path
from quartet.downloads.transfer import saved_spans
from quartet.kernel.files import TEMPORARY_PREFIX


def saved_bytes(parts: Mapping[int, Path]) -> dict[int, int]:
    """Return the bytes that each part file holds according to its checkpoint."""
    spans = {id: saved_spans(part) for id, part in parts.items()}
    return {
        id: sum(position - start for start, position, _ in found) for id, found in spans.items()
    }


def part_files(tmp: Path) -> dict[int, Path]:
    """Delete temporary files, then return the part files by download id."""
    for path in tmp.glob(f"{TEMPORARY_PREFIX}*"):
        path.unlink()
    found = {path.name.partition(".")[0]: path for path in tmp.glob("*.part*")}
    return {int(id): part_path(tmp, int(id)) for id in found if id.isdecimal()}
