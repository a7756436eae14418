"""Kernel: one event for up to 5,000 pages that are open at the same time."""

import asyncio
import ssl
import tempfile
import time
from collections.abc import Iterable
from pathlib import Path

from bench.api import cpu_seconds
from bench.downloads_service import DownloadsService, running_service
from bench.growth_curves import LINEARITHMIC, Curve, Curves
from bench.start import resident_megabytes
from bench.sync_fleet_agents import raise_limit

EVENTS = 20
CALM_SECONDS = 5.0
# As long as the pause between two signs of life.
IDLE_SECONDS = 15.0


def curves(sizes: Iterable[int]) -> list[Curve]:
    found = Curves("open pages")
    raise_limit()
    certificates = ssl.get_default_verify_paths().cafile or ""
    for size in sizes:
        with (
            tempfile.TemporaryDirectory() as name,
            running_service(Path(name), certificates) as service,
        ):
            asyncio.run(measure(found, service, size))
    return found.all()


async def measure(found: Curves, service: DownloadsService, size: int) -> None:
    streams = [await open_stream(service) for _ in range(size)]
    readers = [asyncio.create_task(count_events(reader)) for reader, _ in streams]
    # Open pages cost something even without changes: they receive a sign of life now and then.
    await asyncio.sleep(CALM_SECONDS)
    idle = await cpu_share(service.pid)
    before, began = cpu_seconds(service.pid), time.monotonic()
    for number in range(EVENTS):
        links = {"links": f"https://files.example/{number}.bin", "start": False}
        await asyncio.to_thread(service.request, "POST", "/api/links", links)
        # The server sends at most one event in a while; this must be one event for each change.
        await asyncio.sleep(0.5)
    await asyncio.sleep(CALM_SECONDS)
    spent = cpu_seconds(service.pid) - before - idle * (time.monotonic() - began)
    spent /= EVENTS
    found.add("one change", size, 1000 * spent, "CPU-ms", LINEARITHMIC)
    megabytes = resident_megabytes(service.pid)
    found.add("memory of downloads", size, megabytes, "MB", LINEARITHMIC)
    for _, writer in streams:
        writer.close()
    received = await asyncio.gather(*readers)
    assert min(received) >= EVENTS, "a page missed a change"


async def cpu_share(pid: int) -> float:
    """Return the CPU time of an idle second."""
    before = cpu_seconds(pid)
    await asyncio.sleep(IDLE_SECONDS)
    return (cpu_seconds(pid) - before) / IDLE_SECONDS


async def open_stream(
    service: DownloadsService,
) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
    reader, writer = await asyncio.open_connection("127.0.0.1", service.port)
    writer.write(
        f"GET /api/events HTTP/1.1\r\nHost: localhost\r\n{service.cookie_header}\r\n\r\n".encode()
    )
    head = await reader.readuntil(b"\r\n\r\n")
    assert head.startswith(b"HTTP/1.1 200"), head
    return reader, writer


async def count_events(reader: asyncio.StreamReader) -> int:
    count = 0
    try:
        while line := await reader.readline():
            count += line.startswith(b"data:")
    except OSError:
        pass
    return count
