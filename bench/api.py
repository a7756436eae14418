"""Compare one small JSON response through the full kernel with plain FastAPI and pydantic.

Both servers are pinned to one core and queried from the other over the same 16 connections.
The result is requests per second of the server's CPU time, which other load on the machine
does not change. The limit is a server that sends the same bytes without reading the request.
"""

import asyncio
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from tests.real_servers import accepts, free_port

from bench.report import Result, show

BAR = 1.8
CONNECTIONS = 16
SECONDS = 4.0
ROUNDS = 3


def run() -> list[Result]:
    best = {"ours": 0.0, "peer": 0.0, "limit": 0.0}
    # The servers alternate, so that other load on the machine affects both equally.
    for _ in range(ROUNDS):
        for name in best:
            best[name] = max(best[name], requests_per_cpu_second(f"bench.api_{name}"))
    claim = "JSON responses per CPU second vs. FastAPI + pydantic"
    return [
        Result(
            claim,
            best["ours"],
            BAR,
            "req/CPU-s",
            best["peer"],
            more_is_better=True,
            best_possible=best["limit"],
        )
    ]


def requests_per_cpu_second(module: str) -> float:
    port = free_port()
    cores = sorted(os.sched_getaffinity(0))
    with tempfile.TemporaryDirectory() as folder:
        server = subprocess.Popen(
            [sys.executable, "-m", module, folder, str(port)],
            stdout=subprocess.PIPE,
            text=True,
            cwd=Path(__file__).parent.parent,
            preexec_fn=lambda: os.sched_setaffinity(0, cores[:1]),
        )
        assert server.stdout
        try:
            token = server.stdout.readline().strip()
            while not accepts(port):
                time.sleep(0.02)
            os.sched_setaffinity(0, cores[-1:])
            asyncio.run(load(port, token, 0.5))
            before = cpu_seconds(server.pid)
            responses = asyncio.run(load(port, token, SECONDS))
            return responses / (cpu_seconds(server.pid) - before)
        finally:
            os.sched_setaffinity(0, cores)
            server.terminate()
            server.communicate(timeout=10)


def cpu_seconds(pid: int) -> float:
    fields = Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


async def load(port: int, token: str, seconds: float) -> int:
    deadline = time.monotonic() + seconds
    counts = await asyncio.gather(
        *(send_requests(port, token, deadline) for _ in range(CONNECTIONS))
    )
    return sum(counts)


async def send_requests(port: int, token: str, deadline: float) -> int:
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    head = (
        f"GET /api/packages/7 HTTP/1.1\r\nHost: localhost\r\nCookie: quartet_bench={token}\r\n\r\n"
    )
    request = head.encode()
    count = 0
    while time.monotonic() < deadline:
        writer.write(request)
        answer = await reader.readuntil(b"\r\n\r\n")
        assert answer.startswith(b"HTTP/1.1 200"), answer
        length = int(answer.lower().split(b"content-length:")[1].split(b"\r\n")[0])
        body = await reader.readexactly(length)
        assert b'"targetDir"' in body
        count += 1
    writer.close()
    return count


if __name__ == "__main__":
    show(run())
