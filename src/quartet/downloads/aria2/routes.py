import asyncio
from contextlib import suppress
from typing import Any, Literal

from litestar import Response, get, post, websocket
from litestar.exceptions import WebSocketDisconnect

from quartet.downloads.aria2.bodies import is_allowed, read_body
from quartet.downloads.aria2.notifications import Notifications
from quartet.downloads.aria2.protocol import Protocol, Report, RpcAnswer, jsonp
from quartet.downloads.login.service import API_USER
from quartet.kernel.audit import audit, audit_action
from quartet.kernel.service import Connection, Identity
from quartet.kernel.web import Injected, Request, WebSocket

PATH = "/jsonrpc"
# The code with which a WebSocket is closed.
TOO_LARGE = 1009
# The secret is in the request, so that pages of other origins may send it; cookies are not used.
_PUBLIC: dict[str, Any] = {
    "opt": {"public": True, "accepts": "any type"},
    "include_in_schema": False,
}


@post(PATH, status_code=200, own_body_limit=True, **_PUBLIC)
async def call(request: Request, aria2: Injected[Protocol]) -> Response[bytes]:
    """Answer a JSON-RPC request of an aria2 client."""
    body = await read_body(request.stream(), aria2.check_token)
    return _response(await aria2.answer(body, _audited(request)))


@get(PATH, **_PUBLIC)
async def call_by_query(request: Request, aria2: Injected[Protocol]) -> Response[bytes]:
    """Answer a JSON-RPC request in a query, optionally as a script (JSONP)."""
    query = dict(request.query_params)
    answer = await aria2.answer_query(query, _audited(request))
    if callback := query.get("jsoncallback"):
        return Response(jsonp(callback, answer.body), media_type="text/javascript")
    return _response(answer)


@websocket(PATH, opt={"public": True})
async def connect(
    socket: WebSocket, aria2: Injected[Protocol], aria2_notifications: Injected[Notifications]
) -> None:
    """Answer requests over a WebSocket, and send notifications."""
    await socket.accept()
    with aria2_notifications.client() as waiting:
        sending = asyncio.create_task(_send_notifications(socket, waiting))
        try:
            # The client has disconnected.
            with suppress(OSError, WebSocketDisconnect):
                await _answer_requests(socket, aria2)
        finally:
            sending.cancel()


async def _answer_requests(socket: WebSocket, aria2: Protocol) -> None:
    while True:
        message: Any = await socket.receive()
        if message["type"] == "websocket.disconnect":
            return
        body = (message.get("text") or "").encode() or message.get("bytes") or b""
        if not await is_allowed(body, aria2.check_token):
            await socket.close(TOO_LARGE)
            return
        await socket.send_text((await aria2.answer(body, _audited(socket))).body.decode())


async def _send_notifications(socket: WebSocket, waiting: asyncio.Queue[bytes]) -> None:
    while True:
        await socket.send_text((await waiting.get()).decode())


def _audited(connection: Connection) -> Report:
    def report(event: Literal["token_refused", "deleted"]) -> None:
        if event == "deleted":
            connection.scope["state"]["identity"] = Identity(API_USER, "token")
            audit_action(event, connection)
        else:
            audit(event, connection, "wrong_token")

    return report


def _response(answer: RpcAnswer) -> Response[bytes]:
    # As aria2 does.
    status = 400 if answer.failed else 200
    return Response(answer.body, status_code=status, media_type="application/json")


ROUTES = [call, call_by_query, connect]
