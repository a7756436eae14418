"""Measure the start to the first response and to the first page, and the memory of idle services.

Each service is started alone, and all four in one process. The first start without compiled
modules uses an empty cache of bytecode, as an installation from source without `make setup` does.
"""

import http.client
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from tests.real_servers import free_port

from bench.api import cpu_seconds
from bench.report import Result, show
from quartet.services import NAMES

SECONDS_BAR = 0.8
ALL_SECONDS_BAR = 1.5
UNCOMPILED_SECONDS_BAR = 2.5
MEGABYTES_BAR = 70.0
WIND_MEGABYTES_BAR = 80.0
ALL_MEGABYTES_BAR = 120.0
ROUNDS = 3
# The first start migrates the databases, and wind imports its lists after it.
FIRST_SECONDS = 20.0
# Background tasks of the start have released their memory by then.
IDLE_SECONDS = 120.0


class Start(NamedTuple):
    seconds: float
    page_seconds: float
    cpu_seconds: float


def run() -> list[Result]:
    with tempfile.TemporaryDirectory() as folder:
        return _results(Path(folder))


def _results(folder: Path) -> list[Result]:
    groups: list[tuple[str, ...]] = [*((name,) for name in NAMES), NAMES]
    starts = {group: _best_start(group, folder) for group in groups}
    # Two processes cannot use the port of the hub at the same time.
    idle = _idle_megabytes(groups[:-1], folder) | _idle_megabytes(groups[-1:], folder)
    alone = [starts[(name,)] for name in NAMES]
    everything = starts[NAMES]
    uncompiled = max(start_once((name,), folder, compiled=False).seconds for name in NAMES)
    largest = max(idle[(name,)] for name in NAMES if name != "wind")
    return [
        Result(
            "start of one service to its first response (slowest)",
            max(each.seconds for each in alone),
            SECONDS_BAR,
            "s",
        ),
        Result(
            "start of one service to its first page (slowest)",
            max(each.page_seconds for each in alone),
            SECONDS_BAR,
            "s",
        ),
        Result("start of all services in one process", everything.seconds, ALL_SECONDS_BAR, "s"),
        Result(
            "first start without compiled modules (slowest)",
            uncompiled,
            UNCOMPILED_SECONDS_BAR,
            "s",
        ),
        Result(
            "memory of one idle service after two minutes (largest but wind)",
            largest,
            MEGABYTES_BAR,
            "MB",
        ),
        Result("memory of idle wind after two minutes", idle[("wind",)], WIND_MEGABYTES_BAR, "MB"),
        Result("memory of all idle services in one process", idle[NAMES], ALL_MEGABYTES_BAR, "MB"),
    ]


def _best_start(names: Sequence[str], folder: Path) -> Start:
    """Measure ordinary starts, after the first one has prepared the data."""
    start_once(names, folder, stay=FIRST_SECONDS)
    found = [start_once(names, folder) for _ in range(ROUNDS)]
    best = min(found, key=lambda each: each.seconds)
    print(
        f"{'+'.join(names)}: {best.seconds:.2f} s, of which {best.cpu_seconds:.2f} s on a CPU; "
        f"first page after {best.page_seconds:.2f} s"
    )
    return best


def start_once(
    names: Sequence[str], folder: Path, *, compiled: bool = True, stay: float = 0
) -> Start:
    with tempfile.TemporaryDirectory() as cache:
        service = _Services(names, folder, None if compiled else Path(cache))
        try:
            seconds, cpu_seconds = service.wait_until_all_respond()
            page_seconds, _ = service.wait_until_all_respond("/")
            time.sleep(stay)
            return Start(seconds, page_seconds, cpu_seconds)
        finally:
            service.end()


def _idle_megabytes(
    groups: Sequence[tuple[str, ...]], folder: Path
) -> dict[tuple[str, ...], float]:
    """Run the groups at the same time, because each has to be idle for two minutes."""
    running: dict[tuple[str, ...], _Services] = {}
    try:
        for names in groups:
            running[names] = _Services(names, folder)
        for services in running.values():
            services.wait_until_all_respond()
            services.use()
        time.sleep(IDLE_SECONDS)
        found = {names: services.megabytes() for names, services in running.items()}
    finally:
        for services in running.values():
            services.end()
    for names, megabytes in found.items():
        print(f"{'+'.join(names)}: {megabytes:.0f} MB idle")
    return found


class _Services:
    """A process with one or more services."""

    def __init__(self, names: Sequence[str], data: Path, cache: Path | None = None) -> None:
        self._ports = [free_port() for _ in names]
        data.mkdir(parents=True, exist_ok=True)
        config = data / f"{'+'.join(names)}.toml"
        sections = zip(names, self._ports, strict=True)
        config.write_text("".join(f"[{name}]\nport = {port}\n" for name, port in sections))
        environment = dict(os.environ)
        if cache is not None:
            environment["PYTHONPYCACHEPREFIX"] = str(cache)
        self._started = time.perf_counter()
        self._process = subprocess.Popen(
            [sys.executable, "-m", "quartet", "serve", *names, "--data", data, "--config", config],
            env=environment,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )

    def wait_until_all_respond(self, path: str = "/api/health") -> tuple[float, float]:
        """Return the seconds and the CPU seconds since the start."""
        for port in self._ports:
            while not responds(port, path):
                if self._process.poll() is not None:
                    raise RuntimeError(f"the services ended with {self._process.returncode}")
                time.sleep(0.01)
        return time.perf_counter() - self._started, cpu_seconds(self._process.pid)

    def use(self) -> None:
        for port in self._ports:
            for path in ("/", "/api/health") * 20:
                responds(port, path)

    def megabytes(self) -> float:
        return resident_megabytes(self._process.pid)

    def end(self) -> None:
        self._process.terminate()
        self._process.wait(timeout=30)


def resident_megabytes(pid: int) -> float:
    pages = int(Path(f"/proc/{pid}/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / 1e6


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


if __name__ == "__main__":
    show(run())
