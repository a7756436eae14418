"""What lies in a folder, page by page. Blocks: call it from a thread."""

import base64
import binascii
import heapq

import msgspec

from quartet.kernel.errors import AppError
from quartet.kernel.files import Entry
from quartet.media.roots.kinds import file_kind, is_ours
from quartet.media.roots.places import Places, Spot
from quartet.media.roots.texts import path_of, path_text
from quartet.media.roots.types import Browsed, BrowseEntry

MOST_ENTRIES = 10_000

# Folders first, then as people sort; the name itself decides between two that read the same.
Key = tuple[bool, str, str]


def browse(places: Places, text: str, cursor: str | None, limit: int) -> Browsed:
    if not text:
        return _configured(places)
    spot = places.spot(path_of(text))
    after = _key_of(cursor) if cursor else None
    found = [one for one in spot.root.list(spot.parts) if _is_shown(one)]
    rest = [one for one in found if after is None or _key(one) > after]
    page = heapq.nsmallest(limit, rest, key=_key)
    return Browsed(
        path=path_text(spot.path),
        parent=_parent(places, spot),
        entries=[_entry(spot, one) for one in page],
        cursor=_cursor(page[-1]) if len(rest) > len(page) else None,
    )


def _configured(places: Places) -> Browsed:
    """The top of all: the configured folders themselves, each once."""
    folders = {folder.path: folder for folder in reversed(places.folders)}
    entries = [
        BrowseEntry(folder.name, folder.path, "dir", 0, 0) for folder in reversed(folders.values())
    ]
    return Browsed("", None, entries, None)


def _parent(places: Places, spot: Spot) -> str | None:
    if spot.parts:
        return path_text(spot.parent.path)
    above = str(spot.root.path.parent)
    return path_text(above) if places.inside(above) else ""


def _is_shown(entry: Entry) -> bool:
    """A link leads who knows where, and our own files are nobody's business."""
    return (entry.is_file or entry.is_folder) and not is_ours(entry.name)


def _entry(folder: Spot, entry: Entry) -> BrowseEntry:
    return BrowseEntry(
        name=path_text(entry.name),
        path=path_text(Spot(folder.root, (*folder.parts, entry.name)).path),
        kind="dir" if entry.is_folder else file_kind(entry.name),
        size=entry.stat.st_size if entry.is_file else 0,
        modified=entry.stat.st_mtime_ns // 1_000_000,
    )


def _key(entry: Entry) -> Key:
    return not entry.is_folder, entry.name.casefold(), entry.name


def _cursor(entry: Entry) -> str:
    raw = msgspec.json.encode((entry.is_folder, path_text(entry.name)))
    return base64.urlsafe_b64encode(raw).decode()


def _key_of(cursor: str) -> Key:
    try:
        raw = base64.urlsafe_b64decode(cursor)
        is_folder, text = msgspec.json.decode(raw, type=tuple[bool, str])
    except (binascii.Error, ValueError, msgspec.MsgspecError):
        raise AppError(400, "cursor_invalid") from None
    name = path_of(text)
    return not is_folder, name.casefold(), name
