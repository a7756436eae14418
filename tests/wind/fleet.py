"""A wind site of several processes: PostgreSQL, Redis, an S3 server and a weather service."""

import os
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager, ExitStack, contextmanager
from dataclasses import dataclass, field
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import httpx
from redis import Redis

from quartet.wind.models.types import Model
from tests.client import NO_AUTHORITIES
from tests.process import Running, quartet_serve
from tests.real_servers import accepts, free_port, running
from tests.waiting import pauses
from tests.wind.place_indexes import put_place_indexes
from tests.wind.upstream import publish

BUCKET = "weather"
# Age of files that count as complete.
_LONG_AGO = 3600
_WAIT_SECONDS = 120.0


def wait_for(happened: Callable[[], Any], what: str) -> Any:
    deadline, pause = time.monotonic() + _WAIT_SECONDS, pauses()
    while time.monotonic() < deadline:
        if found := happened():
            return found
        time.sleep(next(pause))
    raise AssertionError(f"in vain: {what}")


class Upstream(ThreadingHTTPServer):
    """Delays requests for a file whose path ends with `held`."""

    def __init__(self, folder: Path) -> None:
        self.held: str | None = None
        self.waiting = threading.Event()
        self.go_on = threading.Event()
        super().__init__(("127.0.0.1", 0), partial(_Handler, directory=str(folder)))
        self.daemon_threads = True

    def hold(self, end: str) -> None:
        self.waiting.clear()
        self.go_on.clear()
        self.held = end

    def release(self) -> None:
        self.held = None
        self.go_on.set()


class _Handler(SimpleHTTPRequestHandler):
    def do_GET(self) -> None:
        server = self.server
        assert isinstance(server, Upstream)
        if server.held and self.path.endswith(server.held):
            server.waiting.set()
            server.go_on.wait(300)
        super().do_GET()

    def log_message(self, format: str, *args: Any) -> None:
        pass


@dataclass
class Fleet:
    folder: Path
    variables: dict[str, str]
    redis_url: str
    upstream: Upstream
    stack: ExitStack
    # In the order of their start.
    running: list[Running] = field(default_factory=list)

    def start(self, **roles: str) -> list[Running]:
        """Each process has its own data folder, as on separate machines."""
        serving = [self._serving(name, role) for name, role in roles.items()]
        with ThreadPoolExecutor(len(serving)) as pool:
            found = list(pool.map(lambda each: each.__enter__(), serving))
        for each in serving:
            self.stack.push(each)
        self.running += found
        return found

    def _serving(self, name: str, role: str) -> AbstractContextManager[Running]:
        folder = self.folder / name
        put_place_indexes(folder / "data" / "wind")
        return quartet_serve(folder, "--role", role, services=("wind",), **self.variables)

    def publish(self, model: Model, run: int) -> None:
        mirror = self.folder / "upstream"
        publish(mirror, model, run)
        past = time.time() - _LONG_AGO
        for path in mirror.rglob("*"):
            os.utime(path, (past, past))

    def holder(self) -> int:
        """Return the process whose work has been unacknowledged for longest."""
        with Redis.from_url(self.redis_url) as redis:
            (held, *_) = redis.xpending_range("quartet-wind-blocks", "workers", "-", "+", 10)
            return int(held["consumer"].rpartition(b"-")[2])


def ask(
    url: str, method: str = "GET", *, cookies: dict[str, str] | None = None, json: Any = None
) -> httpx.Response:
    """Open a new client each time, without certificate authorities, which are slow to load."""
    with httpx.Client(
        verify=NO_AUTHORITIES, trust_env=False, timeout=60, cookies=cookies
    ) as client:
        return client.request(method, url, json=json)


def address(running: Running) -> str:
    return running.addresses["wind"]


def kill(running: Running) -> None:
    """Kill a process, as a power cut would."""
    running.process.send_signal(signal.SIGKILL)
    running.process.wait()


@contextmanager
def s3_server() -> Iterator[str]:
    port = free_port()
    # Its folder must not be on the path: it has modules named like those of the standard library.
    command = [sys.executable, "-P", str(Path(__file__).parent / "s3.py"), str(port)]
    with running(command, lambda: accepts(port)):
        ask(f"http://127.0.0.1:{port}/{BUCKET}", "PUT").raise_for_status()
        yield f"s3://{BUCKET}/site?endpoint=http://127.0.0.1:{port}&region=us-east-1"


@contextmanager
def fleet_of(
    folder: Path, postgres_url: str, redis_url: str, models: str, **more: str
) -> Iterator[Fleet]:
    mirror = folder / "upstream"
    mirror.mkdir()
    upstream = Upstream(mirror)
    threading.Thread(target=upstream.serve_forever, daemon=True).start()
    with s3_server() as s3_url, ExitStack() as stack:
        variables = {
            "DATABASE_URL": postgres_url,
            "REDIS_URL": redis_url,
            "S3_URL": s3_url,
            "AWS_ACCESS_KEY_ID": "test",
            "AWS_SECRET_ACCESS_KEY": "test",
            "WIND_MODELS": models,
            "WIND_ALLOW_PRIVATE_ADDRESSES": "true",
            "WIND_DWD_ADDRESS": f"http://127.0.0.1:{upstream.server_port}/dwd",
            **{f"WIND_{name}": _nowhere() for name in _OTHERS},
            **more,
        }
        try:
            yield Fleet(folder, variables, redis_url, upstream, stack)
        finally:
            upstream.release()
            upstream.shutdown()
            upstream.server_close()


_OTHERS = (
    "AVIATION_ADDRESS",
    "POI_ADDRESS",
    "CDC_ADDRESS",
    "MOSMIX_CATALOGUE",
    "OPEN_METEO_ADDRESS",
    "PEGELONLINE_ADDRESS",
    "GEONAMES_ADDRESS",
)


def _nowhere() -> str:
    return "http://127.0.0.1:9"
