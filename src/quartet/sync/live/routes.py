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
# How long a session ended by another process may stay connected.
CHECK_SECONDS = 5.0
# Browsers send nothing on this socket; many messages mean the peer is not our UI.
MESSAGES = 100


@get("/api/overview")
async def overview(live: Injected[Live]) -> Overview:
    """Return the revision, hub, devices with their online state, folders, shares and waiting
    agents.
    """
    return live.overview()


@get("/api/status")
async def status(live: Injected[Live]) -> LiveStatus:
    """Return the live status of devices and the hub, by device and folder id."""
    return live.status()


@websocket("/api/ws")
async def updates(
    socket: WebSocket, kernel: Injected[Kernel[Any]], live: Injected[Live], login: Injected[Login]
) -> None:
    """Send `system` and a complete `update` first, then an `update` at most every 300 ms."""
    session = identity_of(socket).session or ""
    await socket.accept()
    async with kernel.events.subscribe() as events:
        reader = asyncio.create_task(_read(socket, events))
        try:
            # If the browser disconnects while we send, the reader notices.
            with suppress(OSError, WebSocketDisconnect):
                for first in (system_of(kernel), live.whole()):
                    await socket.send_text(msgspec.json.encode(first))
                await socket.close(await _write(socket, events, login, session))
        finally:
            reader.cancel()


async def _write(socket: WebSocket, events: Subscription, login: Login, session: str) -> int:
    """Send events and return the close code."""
    while not events.closed:
        frames = await events.batch(CHECK_SECONDS)
        # Check before each message, so that nothing is sent after the user has signed out.
        if await login.sessions.find(session) is None:
            return SIGNED_OUT
        for frame in frames:
            await socket.send_text(frame.data)
    return RESTART


async def _read(socket: WebSocket, events: Subscription) -> None:
    """Read only to notice when the browser disconnects."""
    try:
        for _ in range(MESSAGES):
            message: Any = await socket.receive()
            if message["type"] == "websocket.disconnect":
                return
    finally:
        events.end()


ROUTES = [overview, status, updates]
