"""Ports besides the one of the web UI, with the same limits for slow clients."""

import asyncio
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from aiohttp import web
from aiohttp.typedefs import Handler

from quartet.kernel.http_protocol import HEAD_SECONDS, BodyTimer
from quartet.kernel.server import TICK_SECONDS


@asynccontextmanager
async def listening(app: web.Application, host: str, port: int) -> AsyncIterator[int]:
    """Listen and yield the port; raises OSError if the address is not available."""
    app.middlewares.insert(0, _limit_body)
    runner = web.AppRunner(
        app,
        access_log=None,
        shutdown_timeout=1.0,
        handle_signals=False,
        # Also limits the time for the head of a request.
        keepalive_timeout=HEAD_SECONDS,
    )
    await runner.setup()
    try:
        await web.TCPSite(runner, host, port).start()
        yield runner.addresses[0][1]
    finally:
        await runner.cleanup()


@web.middleware
async def _limit_body(request: web.Request, handler: Handler) -> web.StreamResponse:
    if request.content.is_eof():
        return await handler(request)
    watch = asyncio.create_task(_close_if_late(request))
    try:
        return await handler(request)
    except ConnectionError:
        # The client has disconnected, which is not our error; the response is dropped.
        return web.Response(status=400)
    finally:
        watch.cancel()


async def _close_if_late(request: web.Request) -> None:
    timer = BodyTimer()
    while not request.content.is_eof():
        timer.bytes = request.content.total_bytes
        if timer.is_late(time.monotonic()):
            request.protocol.force_close()
            return
        await asyncio.sleep(TICK_SECONDS)
