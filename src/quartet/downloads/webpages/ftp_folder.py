"""Reads folders of FTP and SFTP servers."""

import asyncio
import re
import threading
from collections.abc import Sequence
from typing import NamedTuple
from urllib.parse import quote, urlsplit, urlunsplit

from quartet.downloads.transfer.curl import TrustFiles
from quartet.downloads.transfer.folder_listing import list_folder
from quartet.downloads.transfer.redirects import RedirectPolicy, login_for
from quartet.downloads.transfer.responses import TransferError
from quartet.downloads.transfer.types import ServerCredentials
from quartet.downloads.unmarked_names import decoded
from quartet.downloads.webpages.addresses import folder_name
from quartet.downloads.webpages.types import BadStatus, Document, FoundLink
from quartet.kernel.errors import AppError

MOST_ENTRIES = 20_000
_NOT_FOUND, _DENIED = 404, 403
_DATE = re.compile(rb"\d{4}-\d\d-\d\d")
_DOS_DATE = re.compile(rb"\d\d-\d\d-\d\d(\d\d)?")


class FtpFolders(NamedTuple):
    """How folders are asked for: which addresses are allowed, and through which proxy."""

    policy: RedirectPolicy
    trust: TrustFiles = TrustFiles()
    proxy: str | None = None
    logins: Sequence[ServerCredentials] = ()

    async def read(self, url: str) -> tuple[Document, int]:
        """Return the folder and the size of its list. Raises `BadStatus` and `AppError`."""
        stopped = threading.Event()
        try:
            listing = await asyncio.to_thread(
                list_folder,
                url,
                self.policy,
                self.trust,
                proxy=self.proxy,
                login=login_for(self.logins, url),
                is_stopped=stopped.is_set,
            )
        except TransferError as error:
            raise _problem_of(error) from None
        finally:
            stopped.set()
        return read_listing(url, listing), len(listing)


class _FtpEntry(NamedTuple):
    name: bytes
    folder: bool
    size: int | None = None


def read_listing(url: str, listing: bytes) -> Document:
    """Return the files and folders of a list in the form of MLSD, Unix or Windows.

    Links are left out, because they may lead to a folder that was read before.
    """
    parts = urlsplit(url)
    path = parts.path.partition(";")[0].rstrip("/") + "/"
    start = urlunsplit(parts._replace(path=path))
    lines = listing.splitlines()[:MOST_ENTRIES]
    # SFTP servers send it unsorted.
    found = [entry for line in lines if (entry := _entry(line)) and _is_usable(entry.name)]
    entries = sorted(found, key=lambda each: each.name)
    files = [
        FoundLink(start + quote(each.name), _text(each.name), each.size)
        for each in entries
        if not each.folder
    ]
    folders = [
        FoundLink(f"{start}{quote(each.name)}/", folder=_text(each.name))
        for each in entries
        if each.folder
    ]
    return Document("index", folder_name(start), files, folders)


def _entry(line: bytes) -> _FtpEntry | None:
    facts, space, name = line.partition(b" ")
    if space and facts.endswith(b";") and b"=" in facts:
        return _machine_entry(facts, name)
    fields = line.split()
    if len(fields) >= 4 and _DOS_DATE.fullmatch(fields[0]):
        size, name = line.split(None, 3)[2:]
        return _FtpEntry(name, size == b"<DIR>", _number(size))
    if line[:1] in (b"-", b"d"):
        return _unix_entry(line, fields)
    return None


def _machine_entry(facts: bytes, name: bytes) -> _FtpEntry | None:
    known = dict(each.lower().split(b"=", 1) for each in facts.split(b";") if b"=" in each)
    kind = known.get(b"type")
    if kind not in (b"file", b"dir"):
        return None
    return _FtpEntry(name, kind == b"dir", _number(known.get(b"size", b"")))


def _unix_entry(line: bytes, fields: list[bytes]) -> _FtpEntry | None:
    """The size comes before the date, after the owner and, on most servers, the group."""
    for place in (4, 3):
        date = fields[place + 1 : place + 4]
        if len(date) < 3 or not fields[place].isdigit():
            continue
        # Either year, month and day in one field, or month, day and the time or the year.
        after = place + (3 if _DATE.fullmatch(date[0]) else 4)
        rest = line.split(None, after)
        if len(rest) > after:
            return _FtpEntry(rest[after], line[:1] == b"d", _number(fields[place]))
    return None


def _is_usable(name: bytes) -> bool:
    return bool(name.strip(b".")) and b"/" not in name and b"\0" not in name


def _number(text: bytes) -> int | None:
    return int(text) if text.isdigit() and len(text) < 16 else None


def _text(name: bytes) -> str:
    return decoded(name)


def _problem_of(error: TransferError) -> Exception:
    if error.offline:
        return BadStatus(_NOT_FOUND)
    if error.problem.code == "forbidden_by_server":
        return BadStatus(_DENIED)
    status = 502 if error.kind == "broken" else 400
    return AppError(status, error.problem.code, **error.problem.inputs)
