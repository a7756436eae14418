"""The port that aria2 clients expect, besides the one of the web UI."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from functools import partial
from typing import Literal

from aiohttp import WSCloseCode, WSMsgType, web

from quartet.downloads import side_ports
from quartet.downloads.aria2.bodies import is_allowed, read_body
from quartet.downloads.aria2.notifications import Notifications
from quartet.downloads.aria2.protocol import Protocol, RpcAnswer, jsonp
from quartet.kernel.errors import AppError
from quartet.kernel.server import MAX_MESSAGE_BYTES

PATH = "/jsonrpc"
# The secret is in the request, and cookies are not used.
OPEN_TO_PAGES = {
    "Access-Control-Allow-Origin": "*",
    "Access-Control-Allow-Methods": "GET, POST",
    "Access-Control-Allow-Headers": "Content-Type",
    "Access-Control-Allow-Private-Network": "true",
}


# Called with the address of the client and what the audit log contains.
ReportClient = Callable[[str | None, Literal["token_refused", "deleted"]], None]


def application(
    aria2: Protocol, notifications: Notifications, report: ReportClient
) -> web.Application:
    async def call(request: web.Request) -> web.StreamResponse:
        try:
            body = await read_body(request.content.iter_any(), aria2.check_token)
        except AppError as error:
            return web.Response(status=error.status, text=error.code)
        return _response(await aria2.answer(body, partial(report, request.remote)))

    async def call_by_query(request: web.Request) -> web.StreamResponse:
        if request.headers.get("Upgrade", "").lower() == "websocket":
            return await _serve_socket(request, aria2, notifications, report)
        query = dict(request.query)
        answer = await aria2.answer_query(query, partial(report, request.remote))
        if callback := query.get("jsoncallback"):
            try:
                body = jsonp(callback, answer.body)
            except AppError as error:
                return web.Response(status=error.status, text=error.code)
            return web.Response(body=body, content_type="text/javascript")
        return _response(answer)

    async def preflight(_request: web.Request) -> web.StreamResponse:
        return web.Response(status=204, headers=OPEN_TO_PAGES)

    app = web.Application()
    app.router.add_post(PATH, call)
    app.router.add_get(PATH, call_by_query)
    app.router.add_options(PATH, preflight)
    return app


async def _serve_socket(
    request: web.Request, aria2: Protocol, notifications: Notifications, report: ReportClient
) -> web.StreamResponse:
    socket = web.WebSocketResponse(max_msg_size=MAX_MESSAGE_BYTES)
    await socket.prepare(request)
    with notifications.client() as waiting:
        sending = asyncio.create_task(_send_notifications(socket, waiting))
        try:
            async for message in socket:
                if message.type in (WSMsgType.TEXT, WSMsgType.BINARY):
                    body = message.data
                    given = body.encode() if isinstance(body, str) else body
                    if not await is_allowed(given, aria2.check_token):
                        await socket.close(code=WSCloseCode.MESSAGE_TOO_BIG)
                        break
                    answer = await aria2.answer(given, partial(report, request.remote))
                    await socket.send_str(answer.body.decode())
        finally:
            sending.cancel()
    return socket


async def _send_notifications(socket: web.WebSocketResponse, waiting: asyncio.Queue[bytes]) -> None:
    while True:
        await socket.send_str((await waiting.get()).decode())


def _response(answer: RpcAnswer) -> web.Response:
    return web.Response(
        status=400 if answer.failed else 200,
        body=answer.body,
        content_type="application/json",
        headers=OPEN_TO_PAGES,
    )


@asynccontextmanager
async def listening(app: web.Application, host: str, port: int) -> AsyncIterator[int]:
    """Listen and yield the port."""
    try:
        async with side_ports.listening(app, host, port) as found:
            yield found
    except OSError:
        raise AppError(409, "aria2_port_taken", host=host, port=port) from None
