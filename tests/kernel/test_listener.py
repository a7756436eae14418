"""Accepting connections in bursts and without free file descriptors."""

import asyncio
import os
import resource
import socket
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path

import pytest

from quartet.kernel import listener as listener_module
from quartet.kernel.listener import Listener

pytestmark = pytest.mark.anyio


class Greeter(asyncio.Protocol):
    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        # TCP_NODELAY: small chunks of a stream are sent at once.
        line = transport.get_extra_info("socket")
        assert line.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY)
        transport.write(b"hello")
        transport.close()


@pytest.fixture
async def listener() -> Listener:
    listener = Listener()
    listener.listen("127.0.0.1", 0)
    return listener


async def connect_and_read(listener: Listener) -> bytes:
    reader, writer = await asyncio.open_connection("127.0.0.1", listener.port)
    text = await reader.read()
    writer.close()
    return text


async def test_burst_of_connections_is_accepted(listener: Listener) -> None:
    with ExitStack() as stack:
        connections = [
            stack.enter_context(socket.create_connection(("127.0.0.1", listener.port)))
            for _ in range(3 * listener_module.ACCEPTS_PER_ITERATION // 2)
        ]
        listener.open(Greeter)
        assert await connect_and_read(listener) == b"hello"
        received = await asyncio.gather(*(asyncio.to_thread(each.recv, 5) for each in connections))
        assert set(received) == {b"hello"}
    listener.close()


async def test_accepting_resumes_when_descriptors_are_available(
    listener: Listener, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(listener_module, "PAUSE_SECONDS", 0.05)
    listener.open(Greeter)
    with socket.create_connection(("127.0.0.1", listener.port)) as visitor:
        with no_descriptors():
            await asyncio.sleep(0.2)
        assert len(caplog.records) < 10
        assert "cannot accept connections" in caplog.text
        assert await asyncio.to_thread(visitor.recv, 5) == b"hello"
    listener.close()


async def test_listener_closed_during_pause_stays_closed(
    listener: Listener, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(listener_module, "PAUSE_SECONDS", 0.01)
    listener.open(Greeter)
    with socket.create_connection(("127.0.0.1", listener.port)), no_descriptors():
        await asyncio.sleep(0.005)
        listener.close()
    await asyncio.sleep(0.05)


@contextmanager
def no_descriptors() -> Iterator[None]:
    """Leave no file descriptors; open ones and the event loop keep working."""
    limits = resource.getrlimit(resource.RLIMIT_NOFILE)
    taken = [os.open(os.devnull, os.O_RDONLY)]
    # Not below the number in use: select fails above the limit.
    resource.setrlimit(resource.RLIMIT_NOFILE, (highest_descriptor() + 1, limits[1]))
    try:
        with suppress(OSError):
            while True:
                taken.append(os.open(os.devnull, os.O_RDONLY))
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, limits)
        for each in taken:
            os.close(each)


def highest_descriptor() -> int:
    return max(int(each.name) for each in Path("/proc/self/fd").iterdir())
