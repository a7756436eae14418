import secrets
from collections.abc import AsyncIterator, Callable, Iterator
from pathlib import Path

import pytest

from quartet.kernel.events import EventHub, Transport, backend_from_url
from tests.kernel.events.helpers import RestartableRedis


@pytest.fixture
def own_redis(tmp_path: Path) -> Iterator[RestartableRedis]:
    server = RestartableRedis(tmp_path)
    server.start()
    yield server
    server.stop()


@pytest.fixture(params=["memory", "redis", "postgres"])
def make_transport(request: pytest.FixtureRequest) -> Callable[[], Transport]:
    """Return the transport of another process with each call."""
    if request.param == "memory":
        only = backend_from_url(None, "test")
        return lambda: only
    url: str = request.getfixturevalue(f"{request.param}_url")
    channel = f"test_{secrets.token_hex(4)}"
    return lambda: backend_from_url(url, channel)


@pytest.fixture
async def hub() -> AsyncIterator[EventHub]:
    """An in-memory hub with short queues."""
    hub = EventHub(backend_from_url(None, "test"), queue=8)
    await hub.start()
    yield hub
    await hub.stop()
