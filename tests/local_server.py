"""Runs an imitation of another service on this machine."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from aiohttp import web


@asynccontextmanager
async def local_server(
    app: web.Application, *, cancel_handlers: bool = False
) -> AsyncIterator[str]:
    """Yield the address of the running application.

    With `cancel_handlers`, a handler is cancelled when its client disconnects.
    """
    runner = web.AppRunner(
        app, access_log=None, shutdown_timeout=0.1, handler_cancellation=cancel_handlers
    )
    await runner.setup()
    try:
        await web.TCPSite(runner, "127.0.0.1", 0).start()
        yield f"http://127.0.0.1:{runner.addresses[0][1]}"
    finally:
        await runner.cleanup()
