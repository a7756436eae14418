"""A service in this process, asked as a browser would ask it."""

import ssl
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import httpx
from litestar import Litestar

from quartet.kernel.service import Service
from quartet.kernel.startup import StartedService, start
from tests.elsewhere import elsewhere
from tests.signatures import keep_signatures

BASE = "http://localhost"
# For clients that go over the network: to read a hundred authorities takes longer than to ask.
NO_AUTHORITIES = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)


class Client(httpx.AsyncClient):
    started: StartedService[Any]

    async def code(self, method: str, path: str, **options: Any) -> tuple[int, str]:
        """Status and code of an answer that is an error."""
        answer = await self.request(method, path, **options)
        return answer.status_code, answer.json()["code"]


@asynccontextmanager
async def client_of(
    service: Service[Any], data: Path, *, peer: str = "127.0.0.1", **settings: Any
) -> AsyncIterator[Client]:
    if service.name == "downloads":
        # Its second port is the same for all, and tests run side by side.
        settings.setdefault("cnl_port", 0)
    settings = {**elsewhere(service, data), **settings}
    started = start(service, service.prepare(service.settings(data=data, **settings)))
    keep_signatures(started)
    app = started.app.app
    assert isinstance(app, Litestar)
    async with app.lifespan(), client_at(started, peer=peer) as client:
        yield client


@asynccontextmanager
async def quiet_client_of(
    service: Service[Any], data: Path, **settings: Any
) -> AsyncIterator[Client]:
    """Of a service whose loops stand still: nothing is fetched or made while a test asks."""
    settings = {**elsewhere(service, data), **settings}
    started = start(service, service.settings(data=data, **settings))
    keep_signatures(started)
    async with client_at(started) as client:
        yield client
    await started.kernel.close()


def client_at(started: StartedService[Any], *, peer: str = "127.0.0.1", base: str = BASE) -> Client:
    transport = httpx.ASGITransport(started.app, client=(peer, 50000), raise_app_exceptions=False)
    client = Client(transport=transport, base_url=base)
    client.started = started
    return client
