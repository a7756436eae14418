"""Where the files of a provider are read: from its server, or from a folder laid out like it."""

import asyncio
from collections.abc import Callable
from email.utils import parsedate_to_datetime
from pathlib import Path
from typing import TYPE_CHECKING

from quartet.kernel.errors import AppError
from quartet.wind.models.refused import NotYet, Refused

if TYPE_CHECKING:
    from quartet.kernel.outbound import OutboundClient, OutboundResponse

# Object stores say 403 where there is nothing and one may not list.
_ABSENT = (403, 404, 410)
# The largest packages are some 50 MB.
_TIMEOUT_SECONDS = 300


class HttpReader:
    """A file changed less than `settle` seconds ago counts as not there: it may be half written."""

    def __init__(
        self,
        outbound: "Callable[[], OutboundClient]",
        address: str,
        clock: Callable[[], float],
        settle: float = 0,
    ) -> None:
        self._outbound = outbound
        self._address = address.rstrip("/")
        self._clock = clock
        self._settle = settle

    async def read(self, path: str, *, limit: int) -> bytes:
        answer = await self._get(path, {}, limit)
        if self._changed_just_now(answer):
            raise NotYet
        return _whole(answer)

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
        return _whole(answer)

    async def _get(self, path: str, headers: dict[str, str], limit: int) -> "OutboundResponse":
        url = f"{self._address}/{path}"
        answer = await self._outbound().get(
            url, headers=headers, max_bytes=limit, timeout=_TIMEOUT_SECONDS
        )
        if answer.status in _ABSENT:
            raise NotYet
        if answer.status == 416:
            raise Refused("truncated")
        if not answer.ok:
            raise AppError(502, "bad_answer", address=self._address)
        return answer

    def _changed_just_now(self, answer: "OutboundResponse") -> bool:
        try:
            changed = parsedate_to_datetime(answer.headers["Last-Modified"]).timestamp()
        except (KeyError, ValueError):
            return False
        return abs(self._clock() - changed) < self._settle


class FolderReader:
    """The demo weather and mirrors that somebody else fills."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    async def read(self, path: str, *, limit: int) -> bytes:
        return await asyncio.to_thread(self._read, path, 0, None, limit)

    async def read_piece(self, path: str, first: int, length: int | None, *, limit: int) -> bytes:
        return await asyncio.to_thread(self._read, path, first, length, limit)

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


def _whole(answer: "OutboundResponse") -> bytes:
    if not answer.body:
        raise Refused("truncated")
    return answer.body
