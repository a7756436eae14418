"""Measure the time from start to first response, and the memory of an idle service."""

import http.client
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from tests.real_servers import free_port

from bench.report import Result, show
from quartet.services import NAMES

SECONDS_BAR = 1.5
MEGABYTES_BAR = 90.0
ROUNDS = 3


def run() -> list[Result]:
    measured = [measure(name) for name in NAMES]
    slowest = max(seconds for seconds, _ in measured)
    largest = max(megabytes for _, megabytes in measured)
    return [
        Result("start of one service to its first response (slowest)", slowest, SECONDS_BAR, "s"),
        Result("memory of one idle service (largest)", largest, MEGABYTES_BAR, "MB"),
    ]


def measure(name: str) -> tuple[float, float]:
    """Measure ordinary starts. The first start also migrates the database, and the modules loaded
    for that stay in memory.
    """
    with tempfile.TemporaryDirectory() as folder:
        start_once(name, Path(folder))
        results = [start_once(name, Path(folder)) for _ in range(ROUNDS)]
    return min(result[0] for result in results), max(result[1] for result in results)


def start_once(name: str, folder: Path) -> tuple[float, float]:
    port = free_port()
    start = time.perf_counter()
    service = subprocess.Popen(
        [sys.executable, "-m", "quartet", "serve", name, "--port", str(port), "--data", folder],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        while not responds(port):
            time.sleep(0.01)
        seconds = time.perf_counter() - start
        for path in ("/", "/api/health") * 20:
            responds(port, path)
        time.sleep(1)
        return seconds, resident_megabytes(service.pid)
    finally:
        service.terminate()
        service.wait(timeout=10)


def responds(port: int, path: str = "/api/health") -> bool:
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=5)
    try:
        connection.request("GET", path)
        answer = connection.getresponse()
        answer.read()
    except OSError:
        return False
    finally:
        connection.close()
    return answer.status == 200


def resident_megabytes(pid: int) -> float:
    pages = int(Path(f"/proc/{pid}/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / 1e6


if __name__ == "__main__":
    show(run())
