"""Tunnels to the hub through the server: who gets one, what it carries, and its limits."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed

from quartet.sync.agents.types import Limits
from quartet.sync.piping import CarriedBytes, carry
from quartet.sync.protocol import Challenge, Rejected, Status, TunnelStatus, Welcome
from quartet.sync.protocol.limits import TUNNEL_FRAME_BYTES
from tests.real_servers import free_port
from tests.sync.agent import Agent
from tests.sync.running_app import RunningApp, running_app, until

pytestmark = pytest.mark.anyio


@asynccontextmanager
async def echoing_hub(port: int) -> AsyncIterator[None]:
    """Stand in for the engine of the hub; it sends back what it receives."""

    async def echo(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while data := await reader.read(TUNNEL_FRAME_BYTES):
                writer.write(data)
                await writer.drain()
        except ConnectionError:
            pass
        finally:
            writer.close()

    listening = await asyncio.start_server(echo, "127.0.0.1", port)
    try:
        yield
    finally:
        listening.close()


@asynccontextmanager
async def app_with_hub(data: Path, **limits: Any) -> AsyncIterator[RunningApp]:
    port = free_port()
    async with (
        echoing_hub(port),
        running_app(data, Limits(**limits), hub_listen=f"127.0.0.1:{port}") as app,
    ):
        yield app


async def dialled(app: RunningApp, agent: Agent, **fields: Any) -> ClientConnection:
    """Return the socket of a tunnel after the hello of the agent."""
    tunnel = Agent(app.url)
    tunnel.key, tunnel.engine = agent.key, agent.engine
    app.agents.append(tunnel)
    tunnel.socket = await connect(app.url.replace("http", "ws", 1) + "/api/agent/tunnel")
    tunnel.challenge = await tunnel.receive(Challenge)
    await tunnel.say(tunnel.hello(**fields))
    return tunnel.socket


async def rejected(app: RunningApp, agent: Agent, **fields: Any) -> str:
    await dialled(app, agent, **fields)
    return (await app.agents[-1].receive(Rejected)).code


async def opened(app: RunningApp, agent: Agent) -> ClientConnection:
    socket = await dialled(app, agent)
    await app.agents[-1].receive(Welcome)
    return socket


async def test_tunnel_carries_bytes_to_the_hub_and_back(data: Path) -> None:
    async with app_with_hub(data) as app:
        _, agent = await app.device()
        tunnel = await opened(app, agent)
        sent = bytes(range(256)) * 2000
        for start in range(0, len(sent), TUNNEL_FRAME_BYTES):
            await tunnel.send(sent[start : start + TUNNEL_FRAME_BYTES])
        found = b""
        async with asyncio.timeout(60):
            while len(found) < len(sent):
                received = await tunnel.recv()
                assert isinstance(received, bytes)
                found += received
        assert found == sent
        metrics = (await app.admin.get("/metrics")).text
        assert "quartet_sync_tunnels 1" in metrics
        assert f'quartet_sync_tunnel_bytes{{name="received"}} {len(sent)}' in metrics


async def test_tunnel_needs_key_of_approved_device(data: Path) -> None:
    async with app_with_hub(data) as app:
        device_id, agent = await app.device()
        stranger = Agent(app.url)
        assert await rejected(app, stranger) == "device_unknown"
        # A pairing code does not open a tunnel, and is not used up.
        code = await app.code()
        assert await rejected(app, stranger, code=code) == "device_unknown"
        assert (await app.post("/api/enrollments/status", {"code": code}))["state"] == "pending"
        assert await rejected(app, agent, signature=bytes(64)) == "signature_invalid"
        assert await rejected(app, agent, address="other.example") == "wrong_address"
        tunnel = await opened(app, agent)
        await app.admin.patch(f"/api/devices/{device_id}", json={"blocked": True})
        with pytest.raises(ConnectionClosed):
            async with asyncio.timeout(60):
                await tunnel.recv()
        assert await rejected(app, agent) == "blocked"


async def test_number_of_tunnels_is_limited(data: Path) -> None:
    async with app_with_hub(data, tunnels_per_device=2, tunnels=3) as app:
        _, first = await app.device()
        _, second = await app.device()
        tunnels = [await opened(app, first), await opened(app, first), await opened(app, second)]
        assert await rejected(app, first) == "too_many_tunnels"
        assert await rejected(app, second) == "too_many_tunnels"
        await tunnels[2].close()

        async def reopened() -> bool:
            await dialled(app, second)
            message = await app.agents[-1].socket.recv()
            return '"welcome"' in str(message)

        await until(reopened)


async def test_idle_tunnel_and_oversized_frame_end_the_tunnel(data: Path) -> None:
    async with app_with_hub(data, tunnel_idle_seconds=0.2) as app:
        _, agent = await app.device()
        idle, greedy = await opened(app, agent), await opened(app, agent)
        await greedy.send(bytes(TUNNEL_FRAME_BYTES + 1))
        for tunnel in (idle, greedy):
            with pytest.raises(ConnectionClosed):
                async with asyncio.timeout(60):
                    await tunnel.recv()


async def test_tunnel_without_hub_is_rejected(data: Path) -> None:
    # Another program may listen on the default port.
    async with running_app(data, hub_listen=f"127.0.0.1:{free_port()}") as app:
        _, agent = await app.device()
        assert await rejected(app, agent) == "hub_unreachable"


async def test_device_that_uses_a_tunnel_is_shown(app: RunningApp) -> None:
    device_id, agent = await app.device()

    async def shown() -> Any:
        return (await app.get("/api/status"))["devices"][str(device_id)].get("tunnel")

    assert await shown() is None
    await agent.say(Status({}, TunnelStatus(1, 2000, 3000)))
    assert await until(shown) == {"connections": 1, "sent": 2000, "received": 3000}
    await agent.leave()

    async def hidden() -> bool:
        return await shown() is None

    await until(hidden)


class SlowFrames:
    """A WebSocket whose other side takes nothing until it is released."""

    def __init__(self) -> None:
        self.released = asyncio.Event()
        self.sizes: list[int] = []

    async def send_bytes(self, data: bytes) -> None:
        self.sizes.append(len(data))
        await self.released.wait()

    async def receive_bytes(self) -> bytes:
        never: asyncio.Future[bytes] = asyncio.get_running_loop().create_future()
        return await never


async def test_tunnel_reads_no_more_than_the_other_side_takes() -> None:
    reader, frames, totals = asyncio.StreamReader(), SlowFrames(), CarriedBytes()
    reader.feed_data(bytes(10 * TUNNEL_FRAME_BYTES))
    reader.feed_eof()
    writer: Any = None
    carrying = asyncio.create_task(carry(reader, writer, frames, totals))
    async with asyncio.timeout(60):
        while not frames.sizes:
            await asyncio.sleep(0)
        for _ in range(100):
            await asyncio.sleep(0)
        assert (frames.sizes, totals.sent) == ([TUNNEL_FRAME_BYTES], 0)
        frames.released.set()
        await carrying
    assert totals.sent == 10 * TUNNEL_FRAME_BYTES
