"""HTTP clients for a service that runs inside the test process."""

import ssl
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import httpx
from litestar import Litestar

from quartet.kernel.service import Service
from quartet.kernel.startup import StartedService, start
from quartet.kernel.tracing import TracedApp
from tests.database_backend import database_settings

BASE = "http://localhost"
# For clients that use the network: loading the system's certificate authorities takes longer than
# the request itself.
NO_AUTHORITIES = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)


class Client(httpx.AsyncClient):
    started: StartedService[Any]

    async def code(self, method: str, path: str, **options: Any) -> tuple[int, str]:
        """Return the status and the error code of a failed request."""
        answer = await self.request(method, path, **options)
        return answer.status_code, answer.json()["code"]


@asynccontextmanager
async def client_of(
    service: Service[Any], data: Path, *, peer: str = "127.0.0.1", **settings: Any
) -> AsyncIterator[Client]:
    if service.name == "downloads":
        # The Click'n'Load port is fixed by default, so two tests could not run at the same time.
        settings.setdefault("cnl_port", 0)
    settings = {**database_settings(service, data), **settings}
    started = start(service, service.prepare(service.settings(data=data, **settings)))
    app = started.app.app
    if isinstance(app, TracedApp):
        app = app.app
    assert isinstance(app, Litestar)
    async with app.lifespan(), client_at(started, peer=peer) as client:
        yield client


@asynccontextmanager
async def quiet_client_of(
    service: Service[Any], data: Path, **settings: Any
) -> AsyncIterator[Client]:
    """Yield a client for a service without its background tasks, so that nothing changes between
    two requests.
    """
    settings = {**database_settings(service, data), **settings}
    started = start(service, service.settings(data=data, **settings))
    async with client_at(started) as client:
        yield client
    await started.kernel.close()


def client_at(started: StartedService[Any], *, peer: str = "127.0.0.1", base: str = BASE) -> Client:
    transport = httpx.ASGITransport(started.app, client=(peer, 50000), raise_app_exceptions=False)
    client = Client(transport=transport, base_url=base)
    client.started = started
    return client
