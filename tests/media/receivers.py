"""Media servers and services that are told something, on this machine."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import msgspec
from aiohttp import web

PLEX = {
    "MediaContainer": {
        "Directory": [
            {"key": "1", "Location": [{"path": "/elsewhere"}]},
            {"key": "2", "Location": [{"path": "/theirs"}]},
        ]
    }
}


class Receiver:
    """Remembers what it was asked; `status` is what it answers."""

    def __init__(self) -> None:
        self.asked: list[tuple[str, str, dict[str, str], Any]] = []
        self.headers: list[dict[str, str]] = []
        self.status = 200
        self.url = ""

    async def answer(self, request: web.Request) -> web.Response:
        body = await request.read()
        sent = msgspec.json.decode(body) if body else None
        self.asked.append((request.method, request.path, dict(request.query), sent))
        self.headers.append(dict(request.headers))
        return web.json_response(PLEX, status=self.status)


@asynccontextmanager
async def receiver() -> AsyncIterator[Receiver]:
    one = Receiver()
    app = web.Application()
    app.router.add_route("*", "/{path:.*}", one.answer)
    runner = web.AppRunner(app)
    await runner.setup()
    site = web.TCPSite(runner, "127.0.0.1", 0)
    await site.start()
    host, port = runner.addresses[0][:2]
    one.url = f"http://{host}:{port}"
    try:
        yield one
    finally:
        await runner.cleanup()
