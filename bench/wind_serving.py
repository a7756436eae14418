"""Servers on one core, and the load generator on the other.

The result is requests per second of the server's CPU time, which load on the machine does not
change.
"""

import asyncio
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.real_servers import accepts, free_port

from bench.api import cpu_seconds

CONNECTIONS = 16
SECONDS = 4.0
# Requests that fill the caches, as in a server that has run for a while.
WARM_SECONDS = 2.0
# The first start imports lists of stations and places, and some tasks begin half a minute late.
_LATE_SECONDS, _CALM_SECONDS, _CALM_SHARE = 35, 3, 0.03

# The addresses that one connection requests, one after the other.
PathsOfSeed = Callable[[int], Iterator[str]]


@contextmanager
def product(folder: Path) -> Iterator[tuple[int, int]]:
    port = free_port()
    command = [sys.executable, "-m", "quartet", "serve", "wind"]
    with served([*command, "--port", str(port), "--data", str(folder)], port) as pid:
        settle(pid)
        yield port, pid


def settle(pid: int) -> None:
    time.sleep(_LATE_SECONDS)
    calm = 0
    while calm < _CALM_SECONDS:
        before = cpu_seconds(pid)
        time.sleep(1)
        calm = calm + 1 if cpu_seconds(pid) - before <= _CALM_SHARE else 0


def static_file(folder: Path, body: bytes, paths: PathsOfSeed) -> float:
    """Measure what nginx needs to send a file."""
    program = shutil.which("nginx") or "/usr/sbin/nginx"
    if not Path(program).exists():
        return 0.0
    port = free_port()
    (folder / "body").write_bytes(body)
    (folder / "nginx.conf").write_text(
        f"daemon off; master_process off; pid {folder}/pid; error_log stderr error; events {{}}"
        f" http {{ access_log off; keepalive_requests 1000000000; server {{"
        f" listen 127.0.0.1:{port}; location / {{ root {folder};"
        f" rewrite ^ /body break; }} }} }}"
    )
    with served([program, "-c", str(folder / "nginx.conf"), "-p", str(folder)], port) as pid:
        return requests_per_cpu_second(port, pid, paths)


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


def requests_per_cpu_second(port: int, pid: int, paths: PathsOfSeed, headers: str = "") -> float:
    asyncio.run(load(port, paths, WARM_SECONDS, headers=headers))
    before = cpu_seconds(pid)
    # Other places, unless people ask for the same ones again.
    count = asyncio.run(load(port, paths, SECONDS, CONNECTIONS, headers))
    return count / (cpu_seconds(pid) - before)


async def load(
    port: int, paths: PathsOfSeed, seconds: float, first: int = 0, headers: str = ""
) -> int:
    deadline = time.monotonic() + seconds
    seeds = range(first, first + CONNECTIONS)
    lines = (ask(port, deadline, paths(seed), headers) for seed in seeds)
    return sum(await asyncio.gather(*lines))


async def ask(port: int, deadline: float, paths: Iterator[str], headers: str) -> int:
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    count = 0
    for path in paths:
        await answer(reader, writer, path, headers)
        count += 1
        if time.monotonic() > deadline:
            break
    writer.close()
    return count


async def once(port: int, path: str, headers: str = "") -> bytes:
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    body = await answer(reader, writer, path, headers)
    writer.close()
    return body


async def answer(
    reader: asyncio.StreamReader, writer: asyncio.StreamWriter, path: str, headers: str
) -> bytes:
    writer.write(f"GET {path} HTTP/1.1\r\nHost: localhost\r\n{headers}\r\n".encode())
    head = await reader.readuntil(b"\r\n\r\n")
    assert head.startswith(b"HTTP/1.1 200"), head
    length = int(head.lower().split(b"content-length:")[1].split(b"\r\n")[0])
    return await reader.readexactly(length)
