"""Files of JDownloader: its saved lists, which are ZIP files, the crawljobs of Folder Watch, and
its accounts.

A saved list contains JSON: `00` is a package, and `00_000` one of its links. The accounts are
encrypted JSON: a list for each hoster.
"""

import io
import lzma
import re
import zipfile
import zlib
from collections.abc import Iterable, Iterator, Mapping
from typing import Any
from zipfile import ZipFile

import msgspec

from quartet.downloads.aes import decrypted
from quartet.downloads.containers.detect import text_of
from quartet.downloads.containers.types import ContainerAccount, ContainerPackage, FileDetails
from quartet.kernel.errors import AppError
from quartet.kernel.files import safe_name

MOST_LINKS = 20_000
MOST_BYTES = 64 << 20
# What the library raises for files that are damaged, encrypted or compressed in an unknown way.
_DAMAGED = (
    zipfile.BadZipFile,
    zlib.error,
    lzma.LZMAError,
    NotImplementedError,
    RuntimeError,
    EOFError,
    OSError,
    ValueError,
)
_PACKAGE = re.compile(r"\d+")
_LINK = re.compile(r"(\d+)_(\d+)")
_LIST = re.compile(r"\[(.*)\]", re.DOTALL)
_NEW_ENTRY = "->NEW ENTRY<-"
_DIRECT = "directhttp://"
# JDownloader encrypts the accounts of all users with this key, and uses it as the vector too.
_ACCOUNTS_KEY = bytes((1, 6, 4, 5, 2, 7, 4, 3, 12, 61, 14, 75, 254, 249, 212, 33))


class _Link(msgspec.Struct):
    url: str | None = None
    name: str | None = None
    finalLinkState: str | None = None


class _JdownloaderEntry(_Link):
    """A package or a link."""

    downloadLink: _Link | None = None


class _JdownloaderAccount(msgspec.Struct):
    user: str | None = None
    password: str | None = None
    enabled: bool | None = None


def packages_of_list(content: bytes) -> list[ContainerPackage]:
    """Return the packages of a download list or link grabber with the unfinished links."""
    try:
        with ZipFile(io.BytesIO(content)) as archive:
            entries = _read(archive)
    except _DAMAGED:
        raise AppError(422, "container_damaged") from None
    if not any(_LINK.fullmatch(name) for name in entries):
        raise AppError(422, "container_unknown")
    return list(_packages(entries))


def _read(archive: ZipFile) -> dict[str, _JdownloaderEntry]:
    files = [
        each
        for each in archive.infolist()
        if _PACKAGE.fullmatch(each.filename) or _LINK.fullmatch(each.filename)
    ]
    if len(files) > 2 * MOST_LINKS:
        raise AppError(413, "too_many_links", limit=MOST_LINKS)
    # The library does not unpack more than the given size.
    if sum(each.file_size for each in files) > MOST_BYTES:
        raise AppError(413, "too_large", limit=MOST_BYTES)
    return {each.filename: _entry(archive.read(each)) for each in files}


def _entry(content: bytes) -> _JdownloaderEntry:
    """Read only the known fields: a prepared file could need gigabytes as objects."""
    try:
        return msgspec.json.decode(content, type=_JdownloaderEntry)
    except (msgspec.MsgspecError, UnicodeDecodeError):
        return _JdownloaderEntry()


def _packages(entries: Mapping[str, _JdownloaderEntry]) -> Iterator[ContainerPackage]:
    links: dict[str, list[_Link]] = {}
    for name in sorted(entries, key=_position):
        if found := _LINK.fullmatch(name):
            # The link grabber stores the link one level deeper.
            entry = entries[name]
            links.setdefault(found[1], []).append(entry.downloadLink or entry)
    for package, found_links in links.items():
        title = entries[package].name if package in entries else None
        yield _package((title or "").strip(), found_links)


def _position(name: str) -> tuple[int, ...]:
    return tuple(int(part) for part in name.split("_"))


def _package(name: str, links: Iterable[_Link]) -> ContainerPackage:
    details: dict[str, FileDetails] = {}
    for link in links:
        address = (link.url or "").strip().removeprefix(_DIRECT)
        if address and not (link.finalLinkState or "").startswith("FINISHED"):
            file = (link.name or "").strip()
            details[address] = FileDetails(safe_name(file) if file else "", None, None, None, [])
    return ContainerPackage(safe_name(name) if name else "", "\n".join(details), details)


def packages_of_crawljobs(content: bytes) -> list[ContainerPackage]:
    """Return a package for each job, which is JSON or lines such as `packageName=Holiday`."""
    text = text_of(content).strip()
    if text.startswith(("[", "{")):
        try:
            found = msgspec.json.decode(text)
        except (msgspec.DecodeError, RecursionError):
            raise AppError(422, "container_damaged") from None
        jobs = found if isinstance(found, list) else [found]
    else:
        jobs = [_fields(part) for part in text.split(_NEW_ENTRY)]
    return [_job_package(job) for job in jobs if isinstance(job, dict)]


def _fields(text: str) -> dict[str, str]:
    lines = (line.strip() for line in text.splitlines())
    pairs = (line.partition("=") for line in lines if not line.startswith("#"))
    return {name.strip(): value.strip() for name, _, value in pairs}


def _job_package(job: Mapping[str, Any]) -> ContainerPackage:
    name = _text(job, "packageName")
    return ContainerPackage(
        safe_name(name) if name else "",
        "\n".join(_text(job, "text").split()),
        passwords=_passwords(job.get("extractPasswords")),
        start=_text(job, "autoConfirm").upper() == "TRUE",
    )


def _passwords(given: object) -> list[str]:
    """Return the passwords of a list, or of text such as `["first","second"]`."""
    if isinstance(given, str):
        listed = _LIST.fullmatch(given)
        given = [each.strip().strip('"') for each in (listed[1] if listed else given).split(",")]
    return (
        [each for each in given if isinstance(each, str) and each]
        if isinstance(given, list)
        else []
    )


def accounts_of_file(content: bytes) -> list[ContainerAccount]:
    """Return the accounts in `org.jdownloader.settings.AccountSettings.accounts.ejs`."""
    plain = decrypted(content, _ACCOUNTS_KEY, _ACCOUNTS_KEY)
    try:
        # Padded with control characters, which JSON does not end with.
        hosters = msgspec.json.decode(
            plain.rstrip(bytes(range(17))), type=dict[str, list[_JdownloaderAccount]]
        )
    except (msgspec.MsgspecError, UnicodeDecodeError):
        hosters = {}
    found = [
        ContainerAccount(
            host.strip().lower(),
            (account.user or "").strip(),
            (account.password or "").strip(),
            account.enabled is not False,
        )
        for host, accounts in hosters.items()
        for account in accounts
    ]
    if not found:
        raise AppError(422, "no_accounts")
    return found


def _text(values: Mapping[str, Any], name: str) -> str:
    value = values.get(name)
    return str(value).strip() if isinstance(value, str | bool) else ""
