import asyncio
from contextlib import suppress
from typing import Any

import msgspec
from litestar import get, websocket
from litestar.exceptions import WebSocketDisconnect

from quartet.kernel.events import Subscription
from quartet.kernel.service import Kernel
from quartet.kernel.system import system_of
from quartet.kernel.web import Injected, WebSocket, identity_of
from quartet.sync.live.service import Live
from quartet.sync.live.types import LiveStatus, Overview
from quartet.sync.login.service import Login

SIGNED_OUT = 4401
RESTART = 1012
# How long a session that another process ended may go on unnoticed.
CHECK_SECONDS = 5.0
# A browser has nothing to say; who says so much is none.
MESSAGES = 100


@get("/api/overview")
async def overview(live: Injected[Live]) -> Overview:
    """Revision, hub, devices with their online state, folders, shares, waiting devices."""
    return live.overview()


@get("/api/status")
async def status(live: Injected[Live]) -> LiveStatus:
    """Live status of devices and hub, by device and folder id."""
    return live.status()


@websocket("/api/ws")
async def updates(
    socket: WebSocket, kernel: Injected[Kernel[Any]], live: Injected[Live], login: Injected[Login]
) -> None:
    """Begins with `system` and a whole `update`; then one `update` at most every 300 ms."""
    session = identity_of(socket).session or ""
    await socket.accept()
    async with kernel.events.subscribe() as events:
        reader = asyncio.create_task(_read(socket, events))
        try:
            # Gone while we were sending: the reader will know.
            with suppress(OSError, WebSocketDisconnect):
                for first in (system_of(kernel), live.whole()):
                    await socket.send_text(msgspec.json.encode(first))
                await socket.close(await _write(socket, events, login, session))
        finally:
            reader.cancel()


async def _write(socket: WebSocket, events: Subscription, login: Login, session: str) -> int:
    """The code to close with."""
    while not events.closed:
        frames = await events.batch(CHECK_SECONDS)
        # Before each message: nobody hears more after signing out.
        if await login.sessions.find(session) is None:
            return SIGNED_OUT
        for frame in frames:
            await socket.send_text(frame.data)
    return RESTART


async def _read(socket: WebSocket, events: Subscription) -> None:
    """Listens only to know when the browser leaves."""
    try:
        for _ in range(MESSAGES):
            message: Any = await socket.receive()
            if message["type"] == "websocket.disconnect":
                return
    finally:
        events.end()


ROUTES = [overview, status, updates]
