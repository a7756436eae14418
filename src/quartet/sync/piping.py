"""Carries the bytes of one TCP connection in the binary frames of a WebSocket."""

import asyncio
from contextlib import suppress
from dataclasses import dataclass
from typing import Protocol

from quartet.sync.engine.concurrency import run_until_first_exit
from quartet.sync.protocol.limits import TUNNEL_FRAME_BYTES, TUNNEL_IDLE_SECONDS

# The other side may take this long to read what was sent to it.
CLOSE_SECONDS = 2.0


class Frames(Protocol):
    """The WebSocket; both methods raise if it is closed."""

    async def send_bytes(self, data: bytes) -> None:
        """Return when the other side has room for more."""

    async def receive_bytes(self) -> bytes: ...


@dataclass(slots=True)
class CarriedBytes:
    """Bytes that were sent to the WebSocket and received from it."""

    sent: int = 0
    received: int = 0


async def carry(
    reader: asyncio.StreamReader,
    writer: asyncio.StreamWriter,
    frames: Frames,
    totals: CarriedBytes,
    idle_seconds: float = TUNNEL_IDLE_SECONDS,
) -> None:
    """Carry bytes in both directions until one side closes or nothing moves any more.

    Each direction holds one frame and reads the next one only when the other side has taken it.
    """
    carried = CarriedBytes()
    await run_until_first_exit(
        _send(reader, frames, carried, totals),
        _receive(writer, frames, carried, totals),
        _until_idle(carried, idle_seconds),
    )


async def close(writer: asyncio.StreamWriter) -> None:
    """Send what is left, and give up a peer that does not read it."""
    writer.close()
    try:
        with suppress(OSError):
            async with asyncio.timeout(CLOSE_SECONDS):
                await writer.wait_closed()
    finally:
        # A connection that has ended has no event loop any more.
        with suppress(AttributeError):
            writer.transport.abort()


async def _send(
    reader: asyncio.StreamReader, frames: Frames, carried: CarriedBytes, totals: CarriedBytes
) -> None:
    while data := await reader.read(TUNNEL_FRAME_BYTES):
        await frames.send_bytes(data)
        carried.sent += len(data)
        totals.sent += len(data)


async def _receive(
    writer: asyncio.StreamWriter, frames: Frames, carried: CarriedBytes, totals: CarriedBytes
) -> None:
    while True:
        data = await frames.receive_bytes()
        if len(data) > TUNNEL_FRAME_BYTES:
            return
        writer.write(data)
        await writer.drain()
        carried.received += len(data)
        totals.received += len(data)


async def _until_idle(carried: CarriedBytes, seconds: float) -> None:
    """Return when nothing moved for this long: an engine sends a ping every 90 seconds."""
    before = None
    while before != (now := (carried.sent, carried.received)):
        before = now
        await asyncio.sleep(seconds)
