"""Fake media servers and webhook receivers."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import msgspec
from aiohttp import web

from tests.local_server import local_server

PLEX = {
    "MediaContainer": {
        "Directory": [
            {"key": "1", "Location": [{"path": "/elsewhere"}]},
            {"key": "2", "Location": [{"path": "/theirs"}]},
        ]
    }
}


class FakeServer:
    """Records its requests; `status` is the response status."""

    def __init__(self) -> None:
        self.requests: list[tuple[str, str, dict[str, str], Any]] = []
        self.headers: list[dict[str, str]] = []
        self.bodies: list[bytes] = []
        self.status = 200
        self.url = ""

    async def answer(self, request: web.Request) -> web.Response:
        body = await request.read()
        sent = msgspec.json.decode(body) if body else None
        self.requests.append((request.method, request.path, dict(request.query), sent))
        self.bodies.append(body)
        self.headers.append(dict(request.headers))
        return web.json_response(PLEX, status=self.status)


@asynccontextmanager
async def fake_server() -> AsyncIterator[FakeServer]:
    one = FakeServer()
    app = web.Application()
    app.router.add_route("*", "/{path:.*}", one.answer)
    async with local_server(app) as one.url:
        yield one
