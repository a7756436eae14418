"""One place with every model through HTTP, beside the bare reading and beside nginx.

The server has one core, the asking the other. What counts is requests per second of the server's
own CPU time, which a busy machine does not change.
"""

import asyncio
import os
import random
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from bench.api import cpu_seconds
from bench.report import Result, show
from bench.wind_runs import fill
from quartet.kernel.testing import accepts, free_port
from quartet.wind.forecasts.series import series_at
from quartet.wind.grid.catalogue import Catalogue

REQUESTS_BAR = 2000.0
READ_BAR = 1000.0
CONNECTIONS = 16
SECONDS = 4.0
PLACES = 2000


def run() -> list[Result]:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        fill(folder / "wind" / "grids")
        bare = bare_read(folder / "wind" / "grids")
        with product(folder) as (port, pid):
            size = len(asyncio.run(once(port)))
            ours = requests_per_cpu_second(port, pid)
        peer = static_file(folder, size)
    print(f"an answer has {size:,} bytes; nginx sends a file of that size {peer:,.0f} times")
    return [
        Result("/point with all models", ours, REQUESTS_BAR, "req/CPU-s", more_is_better=True),
        Result("/point: reading and interpolating, median", bare, READ_BAR, "us"),
    ]


def places(seed: int) -> Iterator[tuple[float, float]]:
    """Where every model has something to say."""
    chance = random.Random(seed)
    while True:
        yield round(chance.uniform(46, 55), 2), round(chance.uniform(0, 15), 2)


def bare_read(grids: Path) -> float:
    """Microseconds for all models of one place, without HTTP and JSON."""
    catalogue = Catalogue(grids)
    runs = [runs[0] for runs in catalogue.models.values()]
    spent = []
    for (lat, lon), _ in zip(places(1), range(PLACES), strict=False):
        begun = time.perf_counter()
        assert len(series_at(lat, lon, runs)) == len(runs)
        spent.append(time.perf_counter() - begun)
    return statistics.median(spent) * 1e6


@contextmanager
def product(folder: Path) -> Iterator[tuple[int, int]]:
    port = free_port()
    command = [sys.executable, "-m", "quartet", "serve", "wind"]
    with served([*command, "--port", str(port), "--data", str(folder)], port) as pid:
        yield port, pid


def static_file(folder: Path, size: int) -> float:
    program = shutil.which("nginx") or "/usr/sbin/nginx"
    if not Path(program).exists():
        return 0.0
    port = free_port()
    (folder / "point").write_bytes(b"x" * size)
    (folder / "nginx.conf").write_text(
        f"daemon off; master_process off; pid {folder}/pid; error_log stderr error; events {{}}"
        f" http {{ access_log off; keepalive_requests 1000000000; server {{"
        f" listen 127.0.0.1:{port}; location = /api/point {{ alias {folder}/point; }} }} }}"
    )
    with served([program, "-c", str(folder / "nginx.conf"), "-p", str(folder)], port) as pid:
        return requests_per_cpu_second(port, pid)


@contextmanager
def served(command: list[str], port: int) -> Iterator[int]:
    cores = sorted(os.sched_getaffinity(0))
    server = subprocess.Popen(
        command,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        preexec_fn=lambda: os.sched_setaffinity(0, cores[:1]),
    )
    try:
        while not accepts(port):
            time.sleep(0.02)
        os.sched_setaffinity(0, cores[-1:])
        yield server.pid
    finally:
        os.sched_setaffinity(0, cores)
        server.terminate()
        server.wait(timeout=10)


def requests_per_cpu_second(port: int, pid: int) -> float:
    asyncio.run(load(port, 0.5))
    before = cpu_seconds(pid)
    return asyncio.run(load(port, SECONDS)) / (cpu_seconds(pid) - before)


async def load(port: int, seconds: float) -> int:
    deadline = time.monotonic() + seconds
    lines = (ask(port, deadline, seed) for seed in range(CONNECTIONS))
    return sum(await asyncio.gather(*lines))


async def ask(port: int, deadline: float, seed: int) -> int:
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    count = 0
    for lat, lon in places(seed):
        await answer(reader, writer, lat, lon)
        count += 1
        if time.monotonic() > deadline:
            break
    writer.close()
    return count


async def once(port: int) -> bytes:
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    body = await answer(reader, writer, 54.3, 10.1)
    writer.close()
    return body


async def answer(
    reader: asyncio.StreamReader, writer: asyncio.StreamWriter, lat: float, lon: float
) -> bytes:
    line = f"GET /api/point?lat={lat}&lon={lon} HTTP/1.1\r\nHost: localhost\r\n\r\n"
    writer.write(line.encode())
    head = await reader.readuntil(b"\r\n\r\n")
    assert head.startswith(b"HTTP/1.1 200"), head
    length = int(head.lower().split(b"content-length:")[1].split(b"\r\n")[0])
    return await reader.readexactly(length)


if __name__ == "__main__":
    show(run())
