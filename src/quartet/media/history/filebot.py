"""Reads `history.xml`, in which FileBot notes every file that it renamed; pure functions."""

import posixpath
from collections.abc import Iterator
from datetime import UTC, datetime
from typing import TYPE_CHECKING, NamedTuple

from quartet.kernel.errors import AppError

if TYPE_CHECKING:
    from xml.etree.ElementTree import Element

LARGEST_FILE = 64 << 20


class FileBotMove(NamedTuple):
    source: str
    target: str
    # Milliseconds since 1970.
    at: int


def filebot_moves(content: str) -> list[FileBotMove]:
    """Return the renamed files in the order in which FileBot renamed them."""
    from quartet.kernel.xml_documents import parse_xml

    root = parse_xml(content, tag="history", limit=LARGEST_FILE)
    if root is None:
        raise AppError(422, "import_not_filebot")
    moves = [move for sequence in root.findall("sequence") for move in _moves(sequence)]
    # FileBot appends, but a user may have merged several files.
    return sorted(moves, key=lambda move: move.at)


def _moves(sequence: "Element") -> Iterator[FileBotMove]:
    at = _milliseconds(sequence.get("date", ""))
    for element in sequence.findall("rename"):
        folder, old, new = (element.get(name, "") for name in ("dir", "from", "to"))
        # Both names may contain folders; a new name may also be a whole path.
        source = posixpath.normpath(posixpath.join(folder, old))
        target = posixpath.normpath(posixpath.join(folder, new))
        if old and new and source != target:
            yield FileBotMove(source, target, at)


def _milliseconds(date: str) -> int:
    try:
        found = datetime.fromisoformat(date)
    except ValueError:
        raise AppError(422, "import_not_filebot") from None
    known = found if found.tzinfo else found.replace(tzinfo=UTC)
    return max(int(known.timestamp() * 1000), 0)
