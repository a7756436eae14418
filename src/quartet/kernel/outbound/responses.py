"""Responses to outgoing requests."""

import asyncio
import codecs
from collections.abc import AsyncIterator
from contextlib import suppress
from dataclasses import dataclass, field
from email.message import Message
from typing import Any, TypeVar, overload

import aiohttp
import msgspec
from multidict import CIMultiDictProxy
from yarl import URL

from quartet.kernel.errors import AppError
from quartet.kernel.outbound.errors import app_errors
from quartet.kernel.outbound.redirects import origin

T = TypeVar("T")
_NAMES_OF_HOSTS = ("idna", "punycode")


@dataclass(frozen=True)
class OutboundResponse:
    """A complete response with any status; repr() shows only the status."""

    status: int
    headers: CIMultiDictProxy[str] = field(repr=False)
    url: str = field(repr=False)
    body: bytes = field(repr=False)

    @property
    def ok(self) -> bool:
        return 200 <= self.status < 300

    @property
    def text(self) -> str:
        """The body decoded with its declared charset, or UTF-8 if that is missing or unknown."""
        kind = Message()
        kind["Content-Type"] = self.headers.get("Content-Type", "")
        return decoded(self.body, kind.get_content_charset("utf-8"))

    @overload
    def json(self) -> Any: ...
    @overload
    def json(self, type: type[T]) -> T: ...
    def json(self, type: Any = Any) -> Any:
        try:
            return msgspec.json.decode(self.body, type=type)
        except (msgspec.MsgspecError, UnicodeError, RecursionError):
            address = origin(URL(self.url))
            raise AppError(502, "bad_answer", address=address) from None


def decoded(body: bytes, charset: str) -> str:
    """Decode a text; as UTF-8 if the server names a charset that is unknown or none for texts."""
    # Python also has codecs for names of hosts, which are slow, and for other things than texts.
    with suppress(LookupError, UnicodeError, ValueError):
        if codecs.lookup(charset).name not in _NAMES_OF_HOSTS:
            return body.decode(charset, "replace")
    return body.decode("utf-8", "replace")


class ResponseStream:
    """A response whose body is read in chunks, up to a limit and until `deadline`."""

    def __init__(
        self, response: aiohttp.ClientResponse, max_bytes: int, deadline: float | None = None
    ) -> None:
        self.status = response.status
        self.headers = response.headers
        self.url = str(response.url)
        self._response = response
        self._max_bytes = max_bytes
        self._deadline = deadline
        self._refuse_declared()

    async def chunks(self) -> AsyncIterator[bytes]:
        with app_errors(self._response.url):
            async for chunk in self.raw_chunks():
                yield chunk

    async def raw_chunks(self) -> AsyncIterator[bytes]:
        """Yield chunks with the original connection errors, which the client uses for retries."""
        # Chunks are decompressed in bounded steps, so a decompression bomb is detected early.
        read = 0
        content = self._response.content.iter_any().__aiter__()
        while True:
            # Around each read, because the caller works in between.
            async with asyncio.timeout_at(self._deadline):
                chunk = await anext(content, None)
            if chunk is None:
                return
            read += len(chunk)
            if read > self._max_bytes:
                raise self._too_large()
            yield chunk

    def _refuse_declared(self) -> None:
        if self._response.method == "HEAD" or "Content-Encoding" in self.headers:
            return
        if (self._response.content_length or 0) > self._max_bytes:
            raise self._too_large()

    def _too_large(self) -> AppError:
        address = origin(self._response.url)
        return AppError(502, "too_large", address=address, limit=self._max_bytes)
