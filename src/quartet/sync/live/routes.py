import asyncio
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

import msgspec
from litestar import MediaType, Response, get, websocket
from litestar.exceptions import WebSocketDisconnect
from msgspec.structs import replace

from quartet.kernel.events import Subscription
from quartet.kernel.events.types import Frame
from quartet.kernel.service import Identity, Kernel
from quartet.kernel.system import System, system_of
from quartet.kernel.web import Injected, Request, WebSocket, identity_of
from quartet.sync.accounts.access import READER, view_of
from quartet.sync.accounts.types import View
from quartet.sync.config.service.revisions import Revisions
from quartet.sync.live.restriction import restricted_status, restricted_update
from quartet.sync.live.service import Live
from quartet.sync.live.types import LiveStatus, Overview, Update
from quartet.sync.login.service import Login

SIGNED_OUT = 4401
RESTART = 1012
# How long a session ended by another process may stay connected.
CHECK_SECONDS = 5.0
# Browsers send nothing on this socket; many messages mean the peer is not our UI.
MESSAGES = 100
# Events that contain nothing about devices and folders.
HARMLESS = frozenset({"resync", "sessionEnded"})


@get("/api/overview", **READER)
async def overview(request: Request, live: Injected[Live]) -> Response[Overview]:
    """Return the revision, hub, devices with their online state, folders, shares and waiting
    agents.
    """
    view = view_of(request)
    found: Any = await live.encoded_overview() if view is None else live.overview(view)
    return Response(found, media_type=MediaType.JSON)


@get("/api/status", **READER)
async def status(request: Request, live: Injected[Live]) -> LiveStatus:
    """Return the live status of devices and the hub, by device and folder id."""
    return restricted_status(live.status(), view_of(request))


@websocket("/api/ws", **READER)
async def updates(
    socket: WebSocket,
    kernel: Injected[Kernel[Any]],
    live: Injected[Live],
    login: Injected[Login],
    revisions: Injected[Revisions],
) -> None:
    """Send `system` and a complete `update` first, then an `update` at most every 300 ms."""
    caller = Caller(identity_of(socket), login, revisions)
    await socket.accept()
    async with kernel.events.subscribe() as events:
        reader = asyncio.create_task(_read(socket, events))
        try:
            # If the browser disconnects while we send, the reader notices.
            with suppress(OSError, WebSocketDisconnect):
                view = caller.view()
                whole = restricted_update(live.whole(), view)
                for first in (_restricted_system(system_of(kernel), view), whole):
                    await socket.send_text(msgspec.json.encode(first))
                await socket.close(await _write(socket, events, caller))
        finally:
            reader.cancel()


@dataclass(frozen=True)
class Caller:
    """The person at the other end of a socket, whose session and account may end at any time."""

    identity: Identity
    login: Login
    revisions: Revisions

    async def is_signed_in(self) -> bool:
        return await self.login.is_valid(self.identity)

    def view(self) -> View | None:
        return self.login.accounts.view(self.identity.subject, self.revisions.current)

    def frame(self, frame: Frame) -> bytes | None:
        """Return what the person may see of an event."""
        view = self.view()
        if view is None or frame.type in HARMLESS:
            return frame.data
        if frame.type == "system":
            system = msgspec.json.decode(frame.data, type=System)
            return msgspec.json.encode(_restricted_system(system, view))
        if frame.type != "update":
            return None
        update = msgspec.json.decode(frame.data, type=Update)
        return msgspec.json.encode(restricted_update(update, view))


def _restricted_system(system: System, view: View | None) -> System:
    """Leave out tasks and problems, whose folders and errors only admins see."""
    return system if view is None else replace(system, loops=[], problems=[])


async def _write(socket: WebSocket, events: Subscription, caller: Caller) -> int:
    """Send events and return the close code."""
    while not events.closed:
        frames = await events.batch(CHECK_SECONDS)
        # Check before each message, so that nothing is sent after the user has signed out.
        if not await caller.is_signed_in():
            return SIGNED_OUT
        for frame in frames:
            data = caller.frame(frame)
            if data is not None:
                await socket.send_text(data)
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
