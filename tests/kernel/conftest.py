import asyncio
from collections.abc import AsyncIterator

import pytest

from quartet.kernel import http_protocol, server
from quartet.kernel.server import ServedApp, Stop, serve
from tests.kernel.raw_http import application


@pytest.fixture
async def port() -> AsyncIterator[int]:
    stop, ports = Stop(), asyncio.Queue[int]()
    running = asyncio.create_task(
        serve(
            [ServedApp("heads", application)],
            stop=stop,
            ready=lambda apps: ports.put_nowait(apps[0].port),
        )
    )
    yield await ports.get()
    stop.request()
    assert await running == 0


@pytest.fixture
def short_timeouts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(http_protocol, "HEAD_SECONDS", 0.2)
    monkeypatch.setattr(server, "TICK_SECONDS", 0.02)
