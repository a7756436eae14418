"""How soon one service answers after its start, and how much memory it takes when idle."""

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
        Result("start of one service to its first answer (slowest)", slowest, SECONDS_BAR, "s"),
        Result("memory of one idle service (largest)", largest, MEGABYTES_BAR, "MB"),
    ]


def measure(name: str) -> tuple[float, float]:
    """Of everyday starts: the first one also upgrades the database, and what it loads for that
    stays in memory until the next."""
    with tempfile.TemporaryDirectory() as folder:
        once(name, Path(folder))
        results = [once(name, Path(folder)) for _ in range(ROUNDS)]
    return min(result[0] for result in results), max(result[1] for result in results)


def once(name: str, folder: Path) -> tuple[float, float]:
    port = free_port()
    begun = time.perf_counter()
    service = subprocess.Popen(
        [sys.executable, "-m", "quartet", "serve", name, "--port", str(port), "--data", folder],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        while not answers(port):
            time.sleep(0.01)
        seconds = time.perf_counter() - begun
        for path in ("/", "/api/health") * 20:
            answers(port, path)
        time.sleep(1)
        return seconds, resident_megabytes(service.pid)
    finally:
        service.terminate()
        service.wait(timeout=10)


def answers(port: int, path: str = "/api/health") -> bool:
    line = http.client.HTTPConnection("127.0.0.1", port, timeout=5)
    try:
        line.request("GET", path)
        answer = line.getresponse()
        answer.read()
    except OSError:
        return False
    finally:
        line.close()
    return answer.status == 200


def resident_megabytes(pid: int) -> float:
    pages = int(Path(f"/proc/{pid}/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / 1e6


if __name__ == "__main__":
    show(run())
