"""Checks and renames extracted files before they are moved."""

import os
import re
import stat
import unicodedata
from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

from quartet.downloads.archives.guard import ExtractedSize
from quartet.downloads.archives.links import stays_inside
from quartet.downloads.archives.types import Parts
from quartet.downloads.unmarked_names import DOS, WINDOWS, charset_of, in_charset
from quartet.kernel.errors import AppError
from quartet.kernel.files import TEMPORARY_PREFIX, Entry, Root, safe_name, unique_name
from quartet.kernel.files.errors import display_path

# Bytes that are not UTF-8 are surrogates in Python.
_ENCODABLE = re.compile("[^\ud800-\udfff]*")


class ExtractedTree(NamedTuple):
    """The file names of an extracted folder, by subfolder; links are not among them."""

    files: dict[Parts, list[str]]
    size: ExtractedSize
    # Entries that got another name: the path in the archive and the new name.
    renamed: dict[Parts, str]


def sanitize_tree(root: Root, top: Parts, archive: str) -> ExtractedTree:
    """Make all names and permissions portable; raise an error for devices and links to outside.

    The listing was checked before, but only the files on the disk are reliable.
    """
    files: dict[Parts, list[str]] = {}
    renamed: dict[Parts, str] = {}
    hard_links: Counter[tuple[int, int]] = Counter()
    total, members = 0, 0
    waiting: list[Parts] = [()]
    while waiting:
        folder = waiting.pop()
        taken: set[str] = set()
        entries = root.list((*top, *folder))
        texts = _texts([entry.name for entry in entries], archive)
        for entry in entries:
            _require_plain(root, top, folder, entry, archive)
            _set_permissions(root, (*top, *folder), entry)
            text = texts.get(entry.name, entry.name)
            name = _rename(root, (*top, *folder), entry.name, text, taken)
            if name != text:
                renamed[*folder, entry.name] = name
            members += 1
            if entry.is_folder:
                waiting.append((*folder, name))
            elif entry.is_file:
                files.setdefault(folder, []).append(name)
                total += entry.stat.st_size
                if entry.stat.st_nlink > 1:
                    hard_links[entry.stat.st_ino, entry.stat.st_nlink] += 1
    if any(names != expected for (_, expected), names in hard_links.items()):
        raise AppError(422, "archive_unsafe", archive=archive, member="", reason="link")
    return ExtractedTree(files, ExtractedSize(total, members), renamed)


def portable_name(name: str) -> str:
    name = safe_name(name, allow_hidden=True)
    # Such a name would be mistaken for a leftover and removed.
    return name[1:] if name.startswith(TEMPORARY_PREFIX) else name


def _require_plain(root: Root, top: Parts, folder: Parts, entry: Entry, archive: str) -> None:
    if entry.is_folder or entry.is_file:
        return
    if entry.is_link:
        with root.folder((*top, *folder)) as fd:
            if stays_inside(folder, os.readlink(entry.name, dir_fd=fd)):
                return
    reason = "link" if entry.is_link else "device"
    member = display_path((*folder, entry.name))
    raise AppError(422, "archive_unsafe", archive=archive, member=member, reason=reason)


def _set_permissions(root: Root, folder: Parts, entry: Entry) -> None:
    """Remove setuid bits and ensure that the owner can read, enter and remove the entry."""
    if entry.is_link:
        return
    mode = stat.S_IMODE(entry.stat.st_mode)
    plain = mode & 0o777 | (0o700 if entry.is_folder else 0o600)
    if plain != mode:
        with root.folder(folder) as fd:
            os.chmod(entry.name, plain, dir_fd=fd)


def _texts(names: Sequence[str], archive: str) -> dict[str, str]:
    """Decode the names that are not UTF-8; zip and tar do not name their character set.

    All names of a folder are decoded together, because more bytes make the guess more reliable.
    """
    raw = {name: os.fsencode(name) for name in names if not _ENCODABLE.fullmatch(name)}
    otherwise = DOS if archive.lower().endswith(".zip") else WINDOWS
    charset = charset_of(b"\n".join(raw.values()), otherwise) if raw else otherwise
    return {name: in_charset(sent, charset) for name, sent in raw.items()}


def _rename(root: Root, folder: Parts, name: str, text: str, taken: set[str]) -> str:
    """Give an entry a portable name that differs from all others in more than its case."""
    wanted = portable_name(text)
    new = unique_name(wanted, _Folded(taken))
    # The free name may belong to an entry that is processed later.
    while new != name and root.exists((*folder, new)):
        taken.add(_fold(new))
        new = unique_name(wanted, _Folded(taken))
    if new != name:
        root.rename((*folder, name), (*folder, new))
    taken.add(_fold(new))
    return new


class _Folded:
    def __init__(self, taken: set[str]) -> None:
        self._taken = taken

    def __contains__(self, name: object) -> bool:
        return isinstance(name, str) and _fold(name) in self._taken


def _fold(name: str) -> str:
    return unicodedata.normalize("NFC", name).casefold()
