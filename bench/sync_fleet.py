"""Connect ten thousand agents to one server: memory, a new revision, a restart, and admin requests.

The agents run in their own process. The hub is off, because a Syncthing with ten thousand peers
would be measured rather than the control server.
"""

import asyncio
import os
import re
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from statistics import quantiles
from typing import Any

import aiohttp
import msgspec
from tests.real_servers import free_port

from bench.api import cpu_seconds
from bench.report import Result, show
from bench.start import resident_megabytes
from bench.sync_fleet_agents import engine_id_of, key_of, raise_limit
from quartet.kernel.db import Tx
from quartet.kernel.startup import open_kernel
from quartet.sync.app import SERVICE
from quartet.sync.config.store import devices, folders, shares
from quartet.sync.config.types.devices import NewDevice
from quartet.sync.config.types.folders import Folder
from quartet.sync.config.types.shares import Share
from quartet.sync.login.service import Login
from quartet.sync.protocol import Versioning

AGENTS = 10_000
FOLDERS = 10
FOLDERS_EACH = 2
PASSWORD = "correct horse"
KILOBYTES_BAR = 35.0
REVISION_BAR = 3.0
STOP_BAR = 5.0
RECONNECT_BAR = 30.0
ADMIN_BAR = 0.2


def run(size: int = AGENTS) -> list[Result]:
    raise_limit()
    with tempfile.TemporaryDirectory() as folder:
        populate(Path(folder) / "sync", size)
        figures = asyncio.run(measure(Path(folder), size))
    return [
        Result(
            f"sync: memory per agent of {size:,} agents", figures.kilobytes, KILOBYTES_BAR, "KB"
        ),
        Result("sync: a revision acknowledged by all", figures.revision, REVISION_BAR, "s"),
        Result("sync: stop with all agents connected", figures.stop, STOP_BAR, "s"),
        Result("sync: all agents back after a restart", figures.reconnect, RECONNECT_BAR, "s"),
        Result("sync: login under load (95th percentile)", figures.logins.p95, ADMIN_BAR, "s"),
        Result(
            "sync: overview under load (95th percentile)", figures.overviews.p95, ADMIN_BAR, "s"
        ),
    ]


def populate(
    data: Path, size: int, database: str | None = None, folder_count: int = FOLDERS
) -> None:
    """Fill the database with paired devices that each share some of the folders."""
    kernel = open_kernel(SERVICE, SERVICE.settings(data=data, database_url=database))

    def fill(tx: Tx) -> None:
        for number in range(folder_count):
            folder = Folder(
                number + 1, f"Folder {number}", f"folder-{number}", [], Versioning(), False, 1
            )
            folders.put(tx.conn, folder)
        rows = []
        for number in range(size):
            public = key_of(number).public_key().public_bytes_raw()
            new = NewDevice(f"laptop {number}", "linux", public, engine_id_of(number), "1", "1")
            device = devices.add(tx.conn, new, 1)
            for turn in range(min(FOLDERS_EACH, folder_count)):
                folder_id = (number + turn) % folder_count + 1
                rows.append(Share(folder_id, device, "both", f"/home/user/folder-{folder_id}"))
        shares.add(tx.conn, rows)

    kernel.db.write_sync(fill)
    Login(kernel.db).set_password(PASSWORD)
    kernel.db.close()


@dataclass
class Times:
    seconds: list[float] = field(default_factory=list)

    @property
    def p95(self) -> float:
        return quantiles(self.seconds, n=20)[-1] if len(self.seconds) > 1 else float("inf")

    def __str__(self) -> str:
        parts = quantiles(self.seconds, n=2)
        return f"{len(self.seconds)} times, median {parts[0]:.3f}, worst {max(self.seconds):.3f} s"


@dataclass
class Figures:
    kilobytes: float = 0
    revision: float = 0
    stop: float = 0
    reconnect: float = 0
    logins: Times = field(default_factory=Times)
    overviews: Times = field(default_factory=Times)


async def measure(folder: Path, size: int) -> Figures:
    figures, port = Figures(), free_port()
    server = start(folder, port)
    agents = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "bench.sync_fleet_agents", str(port), str(size)),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    )
    try:
        await read_reply(agents)
        idle = resident_megabytes(server.pid)
        began = time.monotonic()
        await send_commands(agents, "connect", "online")
        report("all online", began, server)
        await asyncio.sleep(1)
        figures.revision = await revise(agents, port, figures, size)
        await asyncio.sleep(3)
        figures.kilobytes = (resident_megabytes(server.pid) - idle) * 1000 / size
        began = time.monotonic()
        server.send_signal(signal.SIGTERM)
        server.wait()
        figures.stop = time.monotonic() - began
        report("stopped", began)
        server = start(folder, port)
        report("started", began, server)
        async with admin_load(port, figures):
            print(await send_commands(agents, "online"))
        figures.reconnect = time.monotonic() - began
        report("all back", began, server)
    finally:
        agents.kill()
        server.terminate()
        await agents.wait()
        server.wait()
    print("logins:", figures.logins)
    print("overviews:", figures.overviews)
    return figures


def start(folder: Path, port: int) -> subprocess.Popen[str]:
    server = subprocess.Popen(
        [sys.executable, "-m", "quartet", "serve", "sync", "--data", str(folder)],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        env={**os.environ, "SYNC_HUB": "false", "SYNC_PORT": str(port)},
        cwd=Path(__file__).parent.parent,
    )
    assert server.stdout
    for line in server.stdout:
        if re.search("Ctrl-C", line):
            return server
    raise AssertionError(f"ended with {server.wait()}")


async def send_commands(agents: asyncio.subprocess.Process, *commands: str) -> Any:
    assert agents.stdin
    agents.stdin.write("".join(f"{command}\n" for command in commands).encode())
    return await read_reply(agents)


async def read_reply(agents: asyncio.subprocess.Process) -> Any:
    assert agents.stdout
    return msgspec.json.decode(await agents.stdout.readline())


class Admin:
    def __init__(self, port: int) -> None:
        # aiohttp keeps cookies of IP addresses only if asked to.
        jar = aiohttp.CookieJar(unsafe=True)
        self._session = aiohttp.ClientSession(f"http://127.0.0.1:{port}", cookie_jar=jar)

    async def log_in(self) -> None:
        async with self._session.post("/api/login", json={"password": PASSWORD}) as answer:
            token = (await answer.json())["csrfToken"]
        self._session.headers["X-CSRF-Token"] = token

    async def overview(self) -> bytes:
        async with self._session.get("/api/overview") as answer:
            assert answer.status == 200
            return await answer.read()

    async def revise(self) -> int:
        body = {"ignorePatterns": ["*.tmp"]}
        async with self._session.patch("/api/folders/1", json=body) as answer:
            assert answer.status < 300, await answer.text()
        overview = msgspec.json.decode(await self.overview())
        revision: int = overview["revision"]
        return revision

    async def close(self) -> None:
        await self._session.close()


async def revise(
    agents: asyncio.subprocess.Process, port: int, figures: Figures, size: int
) -> float:
    """Return the seconds until every agent has acknowledged the revision and this is shown."""
    admin = Admin(port)
    try:
        await admin.log_in()
        began = time.monotonic()
        revision = await admin.revise()
        async with admin_load(port, figures):
            await send_commands(agents, f"acknowledged {revision}")
            while True:
                overview = msgspec.json.decode(await admin.overview())
                if sum(each["appliedRev"] == revision for each in overview["devices"]) == size:
                    return time.monotonic() - began
    finally:
        await admin.close()


@asynccontextmanager
async def admin_load(port: int, figures: Figures) -> AsyncIterator[None]:
    """Log in and load the overview repeatedly."""
    task = asyncio.create_task(use_admin_pages(port, figures))
    try:
        yield
    finally:
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)


async def use_admin_pages(port: int, figures: Figures) -> None:
    admin = Admin(port)
    try:
        while True:
            await timed(admin.log_in(), figures.logins)
            await timed(admin.overview(), figures.overviews)
            await asyncio.sleep(0.3)
    finally:
        await admin.close()


async def timed(work: Any, times: Times) -> None:
    began = time.monotonic()
    await work
    times.seconds.append(time.monotonic() - began)


def report(what: str, began: float, server: subprocess.Popen[str] | None = None) -> None:
    cpu = f", {cpu_seconds(server.pid):.1f} s of CPU" if server else ""
    print(f"{what} after {time.monotonic() - began:.2f} s{cpu}", flush=True)


if __name__ == "__main__":
    show(run(int(sys.argv[1]) if len(sys.argv) > 1 else AGENTS))
