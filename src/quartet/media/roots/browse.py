"""Lists a folder in pages. Blocks; call it from a thread."""

import base64
import binascii
import heapq

import msgspec

from quartet.kernel.errors import AppError
from quartet.kernel.files import Entry
from quartet.media.roots.file_kinds import file_kind, is_internal_name
from quartet.media.roots.folder_access import FolderAccess, RootedPath
from quartet.media.roots.path_encoding import decode_path, encode_path
from quartet.media.roots.types import Browsed, BrowseEntry

MOST_ENTRIES = 10_000

# Folders first, then case-insensitively; the exact name breaks ties.
Key = tuple[bool, str, str]


def browse(access: FolderAccess, text: str, cursor: str | None, limit: int) -> Browsed:
    if not text:
        return _configured(access)
    location = access.resolve(decode_path(text))
    after = _key_of(cursor) if cursor else None
    found = [one for one in location.root.list(location.parts) if _is_shown(one)]
    rest = [one for one in found if after is None or _key(one) > after]
    page = heapq.nsmallest(limit, rest, key=_key)
    return Browsed(
        path=encode_path(location.path),
        parent=_parent(access, location),
        entries=[_entry(location, one) for one in page],
        cursor=_cursor(page[-1]) if len(rest) > len(page) else None,
    )


def _configured(access: FolderAccess) -> Browsed:
    """Return the configured folders, each once."""
    folders = {folder.path: folder for folder in reversed(access.folders)}
    entries = [
        BrowseEntry(folder.name, folder.path, "dir", 0, 0) for folder in reversed(folders.values())
    ]
    return Browsed("", None, entries, None)


def _parent(access: FolderAccess, location: RootedPath) -> str | None:
    if location.parts:
        return encode_path(location.parent.path)
    above = str(location.root.path.parent)
    return encode_path(above) if access.contains(above) else ""


def _is_shown(entry: Entry) -> bool:
    """Hide links, which may lead anywhere, and internal files."""
    return (entry.is_file or entry.is_folder) and not is_internal_name(entry.name)


def _entry(folder: RootedPath, entry: Entry) -> BrowseEntry:
    return BrowseEntry(
        name=encode_path(entry.name),
        path=encode_path(RootedPath(folder.root, (*folder.parts, entry.name)).path),
        kind="dir" if entry.is_folder else file_kind(entry.name),
        size=entry.stat.st_size if entry.is_file else 0,
        modified=entry.stat.st_mtime_ns // 1_000_000,
    )


def _key(entry: Entry) -> Key:
    return not entry.is_folder, entry.name.casefold(), entry.name


def _cursor(entry: Entry) -> str:
    raw = msgspec.json.encode((entry.is_folder, encode_path(entry.name)))
    return base64.urlsafe_b64encode(raw).decode()


def _key_of(cursor: str) -> Key:
    try:
        raw = base64.urlsafe_b64decode(cursor)
        is_folder, text = msgspec.json.decode(raw, type=tuple[bool, str])
    except (binascii.Error, ValueError, msgspec.MsgspecError):
        raise AppError(400, "cursor_invalid") from None
    name = decode_path(text)
    return not is_folder, name.casefold(), name
