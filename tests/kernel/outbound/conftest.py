"""A real server on loopback and a configurable resolver."""

import socket
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack

import pytest
from aiohttp import web
from aiohttp.abc import AbstractResolver, ResolveResult
from tests.local_server import local_server

Handler = Callable[[web.Request], Awaitable[web.StreamResponse]]
Serve = Callable[[Handler], Awaitable[int]]


@pytest.fixture
async def serve() -> AsyncIterator[Serve]:
    """Start a server with one handler for all paths and return its port."""
    async with AsyncExitStack() as running:

        async def start(handler: Handler) -> int:
            async def answer(request: web.Request) -> web.StreamResponse:
                return await handler(request)

            app = web.Application()
            app.router.add_route("*", "/{path:.*}", answer)
            address = await running.enter_async_context(local_server(app))
            return int(address.rpartition(":")[2])

        yield start


class Names(AbstractResolver):
    """Resolves names to their addresses in turn ("a b" means both at once); the last stays."""

    def __init__(self, **names: list[str]) -> None:
        self.names = names
        self.asked: list[str] = []

    async def resolve(
        self, host: str, port: int = 0, family: socket.AddressFamily = socket.AF_INET
    ) -> list[ResolveResult]:
        self.asked.append(host)
        addresses = self.names.get(host)
        if not addresses:
            raise OSError(None, "no such name")
        answer = addresses.pop(0) if len(addresses) > 1 else addresses[0]
        return [
            ResolveResult(
                hostname=host,
                host=address,
                port=port,
                family=socket.AF_INET6 if ":" in address else socket.AF_INET,
                proto=0,
                flags=0,
            )
            for address in answer.split()
        ]

    async def close(self) -> None:
        self.names.clear()


@pytest.fixture
def resolving() -> Callable[..., Names]:
    return Names
