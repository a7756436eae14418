"""Read the files of a provider: from its server, or from a folder with the same layout."""

import asyncio
import re
import time
from collections.abc import Callable, Mapping
from datetime import UTC
from email.utils import parsedate_to_datetime
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import unquote, urljoin, urlsplit

from quartet.kernel.errors import AppError
from quartet.kernel.retry_after import retry_after
from quartet.wind.models.refused import NotYet, Refused

if TYPE_CHECKING:
    from quartet.kernel.outbound import OutboundClient, OutboundResponse

# Object stores answer 403 for a missing file if listing is not allowed.
_ABSENT = (403, 404, 410)
# A server with listings does not mean that by 403: it refuses, for example too many requests.
_ABSENT_BESIDE_LISTINGS = (404, 410)
_UNCHANGED = 304
# A server may ask for a pause of up to this many seconds; after more it is tried again anyway.
_LONGEST_PAUSE = 3600.0
# A file may take this long, or longer if it may be so large that a slow line needs more.
_TIMEOUT_SECONDS = 300.0
_SLOWEST_BYTES = 50_000
# Weather services limit the connections of one address, or ask for restraint.
_MOST_AT_ONCE = 8
_MAX_LISTING_BYTES = 4 * 1024 * 1024
_VALIDATORS = {"ETag": "If-None-Match", "Last-Modified": "If-Modified-Since"}
# Far more than the files of one run.
_MOST_REMEMBERED = 5000
_SLASHES = re.compile("//+")
# Quotes may be missing. A tag ends at the next one: broken ones must not be read again and again.
_LINK = re.compile(rb"""<a\s[^<>]*?href\s*=\s*(?:["']([^"']*)["']|([^\s"'>]+))""", re.IGNORECASE)
# What the index of an empty folder has: its title, or a link to the folder above.
_INDEX = re.compile(rb"""index of|directory listing|href\s*=\s*["']?\.\./?["'\s>]""", re.IGNORECASE)


class HttpReader:
    """Reads over HTTP; a rejected file is not transferred again until it has changed.

    A server that asks for a pause is left alone until it is over.
    """

    def __init__(
        self,
        outbound: "Callable[[], OutboundClient]",
        address: str,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._outbound = outbound
        self._address = address.rstrip("/")
        self._clock = clock
        self._pause_end = float("-inf")
        self._free = asyncio.Semaphore(_MOST_AT_ONCE)
        self._validators: dict[str, dict[str, str]] = {}
        self._rejected: set[str] = set()
        # Whether it has sent a listing: then a file that is missing is not listed.
        self._has_listings = False
        # By how many seconds the clock of the provider is ahead of `clock`.
        self._ahead: float | None = None

    async def read(self, path: str, *, limit: int) -> bytes:
        return _body(await self._get(path, {}, limit))

    async def read_piece(self, path: str, first: int, length: int | None, *, limit: int) -> bytes:
        if length is not None and length > limit:
            raise Refused("too_large")
        last = "" if length is None else first + length - 1
        answer = await self._get(path, {"Range": f"bytes={first}-{last}"}, limit)
        # A server that ignores the range would send hundreds of megabytes.
        if answer.status != 206:
            raise Refused("too_large")
        if length is not None and len(answer.body) != length:
            raise Refused("truncated")
        return _body(answer)

    async def names(self, path: str) -> list[str]:
        """Read an HTML index, as web servers make it."""
        answer = await self._get(f"{path}/", {}, _MAX_LISTING_BYTES, is_listing=True)
        # A redirect may lead to another folder, which the links are relative to.
        folder = f"{answer.url.rstrip('/')}/"
        links = _LINK.findall(answer.body)
        names = [name for link in links if (name := _name_of(link[0] or link[1], folder))]
        if not names and not _INDEX.search(answer.body):
            # A page of an error or of maintenance does not mean that the folder is empty.
            raise AppError(502, "bad_answer", address=self._address)
        self._has_listings = True
        return names

    def reject(self, path: str) -> None:
        """Remember that the file is bad; until it changes, reading it raises `NotYet`."""
        self._rejected.add(path)

    def time(self) -> float | None:
        return None if self._ahead is None else self._clock() + self._ahead

    async def _get(
        self,
        path: str,
        headers: dict[str, str],
        limit: int,
        *,
        is_listing: bool = False,
    ) -> "OutboundResponse":
        if path in self._rejected:
            headers = {**headers, **self._validators.get(path, {})}
        async with self._free:
            if self._clock() < self._pause_end:
                raise AppError(502, "bad_answer", address=self._address)
            answer = await self._outbound().get(
                f"{self._address}/{path}",
                headers=headers,
                max_bytes=limit,
                timeout=max(_TIMEOUT_SECONDS, limit / _SLOWEST_BYTES),
            )
        if (sent := _sending_time(answer.headers)) is not None:
            self._ahead = sent - self._clock()
        if not answer.ok and (pause := retry_after(answer.headers)):
            self._pause_end = self._clock() + min(pause, _LONGEST_PAUSE)
            raise AppError(502, "bad_answer", address=self._address)
        absent = _ABSENT_BESIDE_LISTINGS if is_listing or self._has_listings else _ABSENT
        if answer.status == _UNCHANGED or answer.status in absent:
            raise NotYet
        if answer.status == 416:
            raise Refused("truncated")
        if not answer.ok:
            raise AppError(502, "bad_answer", address=self._address)
        self._remember(path, answer)
        return answer

    def _remember(self, path: str, answer: "OutboundResponse") -> None:
        if len(self._validators) >= _MOST_REMEMBERED:
            self._validators.clear()
            self._rejected.clear()
        self._rejected.discard(path)
        self._validators[path] = {
            header: answer.headers[name]
            for name, header in _VALIDATORS.items()
            if name in answer.headers
        }


class FolderReader:
    """Reads the demo weather, and mirrors that another program fills."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    async def read(self, path: str, *, limit: int) -> bytes:
        return await asyncio.to_thread(self._read, path, 0, None, limit)

    async def read_piece(self, path: str, first: int, length: int | None, *, limit: int) -> bytes:
        return await asyncio.to_thread(self._read, path, first, length, limit)

    async def names(self, path: str) -> list[str]:
        try:
            return [each.name for each in (self._folder / path).iterdir()]
        except FileNotFoundError:
            raise NotYet from None

    def reject(self, path: str) -> None:
        """Do nothing: reading a local file again costs little."""

    def time(self) -> None:
        """Return nothing: a folder has no clock of its own."""

    def _read(self, path: str, first: int, length: int | None, limit: int) -> bytes:
        try:
            with (self._folder / path).open("rb") as file:
                file.seek(first)
                body = file.read(limit + 1 if length is None else min(length, limit + 1))
        except FileNotFoundError:
            raise NotYet from None
        if len(body) > limit:
            raise Refused("too_large")
        if not body or (length is not None and len(body) != length):
            raise Refused("truncated")
        return body


def _sending_time(headers: Mapping[str, str]) -> float | None:
    """Return when an answer was sent by the clock of the server or, of a copy, of the cache."""
    try:
        # The time zone is always GMT, even if a server writes another one.
        made = parsedate_to_datetime(headers["Date"]).replace(tzinfo=UTC)
        return made.timestamp() + int(headers.get("Age", 0))
    except (KeyError, ValueError, OverflowError):
        return None


def _name_of(link: bytes, folder: str) -> str | None:
    """Return the name of an entry; links to other folders or for sorting have none.

    Some servers link to the whole path or address of an entry instead of its name, or repeat
    slashes.
    """
    # Imported here because the first listing comes long after the start.
    from html import unescape

    text = unescape(link.decode("utf-8", "replace"))
    if text[:1].isdecimal():
        # Some versions of Python take a time such as 2026-11-17T06:00 for a scheme and a path.
        text = f"./{text}"
    try:
        entry = urlsplit(urljoin(folder, text))
    except ValueError:
        return None
    base = _SLASHES.sub("/", unquote(urlsplit(folder).path))
    path = _SLASHES.sub("/", unquote(entry.path))
    name = path.removeprefix(base).removesuffix("/")
    is_entry = path.startswith(base) and name and "/" not in name and not name.startswith(".")
    return name if is_entry else None


def _body(answer: "OutboundResponse") -> bytes:
    if not answer.body:
        raise Refused("truncated")
    return answer.body
