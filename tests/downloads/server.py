"""A file server on loopback that can wait, fail and count requests."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from email.utils import formatdate

from aiohttp import web

from tests.local_server import local_server

CHUNK = 64 * 1024
SECONDS = 60.0


@dataclass
class FileServer:
    port: int = 0
    files: dict[str, bytes] = field(default_factory=dict)
    # Status codes returned for a path instead of its file, in order.
    refusals: dict[str, list[int]] = field(default_factory=dict)
    requests: list[str] = field(default_factory=list)
    sent: int = 0
    # While this is not set, only the first chunks of a file are sent.
    open: asyncio.Event = field(default_factory=asyncio.Event)
    waiting: asyncio.Event = field(default_factory=asyncio.Event)
    chunks_before_waiting: int = 2
    # Files that are sent only after the event is set.
    held: dict[str, asyncio.Event] = field(default_factory=dict)
    # While this is not set, no response is sent at all.
    answering: asyncio.Event = field(default_factory=asyncio.Event)
    _sending: asyncio.Condition = field(default_factory=asyncio.Condition)

    def url(self, name: str) -> str:
        return f"http://127.0.0.1:{self.port}/{name}"

    def put(self, name: str, data: bytes) -> str:
        self.files[name] = data
        return self.url(name)

    def hold(self, name: str) -> asyncio.Event:
        """Send this file only after the returned event was set."""
        return self.held.setdefault(name, asyncio.Event())

    async def until_sent(self, count: int) -> None:
        """Wait until this many bytes of files were sent."""
        async with asyncio.timeout(SECONDS), self._sending:
            await self._sending.wait_for(lambda: self.sent >= count)

    async def answer(self, request: web.Request) -> web.StreamResponse:
        name = request.path.lstrip("/")
        self.requests.append(f"{request.headers.get('Range', '-')} {name}")
        self.waiting.set()
        await self.answering.wait()
        if name in self.held:
            await self.held[name].wait()
        if self.refusals.get(name):
            return web.Response(status=self.refusals[name].pop(0))
        if name not in self.files:
            return web.Response(status=404)
        return await self._send(request, self.files[name])

    async def _send(self, request: web.Request, data: bytes) -> web.StreamResponse:
        wanted = request.http_range
        start, stop = wanted.start or 0, min(wanted.stop or len(data), len(data))
        partial = "Range" in request.headers
        response = web.StreamResponse(status=206 if partial else 200)
        response.headers["Last-Modified"] = formatdate(0, usegmt=True)
        response.headers["ETag"] = f'"{hash(data)}"'
        response.content_type = "application/octet-stream"
        response.content_length = stop - start
        if partial:
            response.headers["Content-Range"] = f"bytes {start}-{stop - 1}/{len(data)}"
        await response.prepare(request)
        for number, place in enumerate(range(start, stop, CHUNK)):
            if number >= self.chunks_before_waiting:
                self.waiting.set()
                await self.open.wait()
            piece = data[place : min(place + CHUNK, stop)]
            self.sent += len(piece)
            await response.write(piece)
            async with self._sending:
                self._sending.notify_all()
        return response


@asynccontextmanager
async def file_server() -> AsyncIterator[FileServer]:
    server = FileServer()
    server.open.set()
    server.answering.set()
    app = web.Application()
    app.router.add_route("*", "/{path:.*}", server.answer)
    async with local_server(app, cancel_handlers=True) as address:
        server.port = int(address.rpartition(":")[2])
        try:
            yield server
        finally:
            server.open.set()
            server.answering.set()
