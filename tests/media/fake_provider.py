"""A fake catalog provider that answers by path, records requests and can fail."""

import asyncio
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from aiohttp import web

from quartet.kernel.outbound import OutboundClient
from quartet.media.catalog.provider_client import ProviderClient
from quartet.media.types import ProviderName
from tests.local_server import local_server


class ReceivedRequest(NamedTuple):
    path: str
    query: dict[str, str]
    authorization: str | None
    body: Any


@dataclass
class FakeProvider:
    outbound: OutboundClient
    address: str = ""
    # By path: JSON, or a complete response.
    answers: dict[str, Any] = field(default_factory=dict)
    # Returned first, one after the other.
    failures: list[web.Response] = field(default_factory=list)
    requests: list[ReceivedRequest] = field(default_factory=list)
    kept: dict[str, str] = field(default_factory=dict)
    # A slow catalog: requests wait until the gate opens.
    gate: asyncio.Event | None = None
    asked: asyncio.Event = field(default_factory=asyncio.Event)

    async def answer(self, request: web.Request) -> web.StreamResponse:
        body = await request.json() if request.can_read_body else None
        head = request.headers.get("Authorization")
        self.requests.append(ReceivedRequest(request.path, dict(request.query), head, body))
        self.asked.set()
        if self.gate:
            await self.gate.wait()
        if self.failures:
            return self.failures.pop(0)
        known = self.answers.get(request.path)
        if known is None:
            return web.json_response({"status": "not found"}, status=404)
        made = known(self.requests[-1]) if callable(known) else known
        return web.json_response(made)

    def source(self, provider: ProviderName) -> ProviderClient:
        return ProviderClient(provider, self.address, self.outbound, self, per_second=1000)

    # The client's cache, without expiry.
    async def get(self, key: str) -> str | None:
        return self.kept.get(key)

    async def put(self, key: str, value: str, expires_at: int) -> None:
        self.kept[key] = value


@asynccontextmanager
async def fake_provider(answers: Mapping[str, Any]) -> AsyncIterator[FakeProvider]:
    async with OutboundClient(allow_private=True, backoff=0.01, longest_wait=0.05) as outbound:
        server = FakeProvider(outbound, answers=dict(answers))
        app = web.Application()
        app.router.add_route("*", "/{path:.*}", server.answer)
        async with local_server(app) as server.address:
            yield server
