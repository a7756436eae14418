"""Ten thousand agents on one server: memory, a new revision, a restart, and the admin meanwhile.

The agents are in a process of their own. The hub is off: a Syncthing with ten thousand peers is
another matter than the server that tells them all what to be.
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
from quartet.sync.devices import store as devices
from quartet.sync.devices.types import NewDevice
from quartet.sync.folders import store as folders
from quartet.sync.folders.types import Folder
from quartet.sync.login.service import Login
from quartet.sync.protocol import Versioning
from quartet.sync.shares import store as shares
from quartet.sync.shares.types import Share

AGENTS = 10_000
FOLDERS = 10
FOLDERS_EACH = 2
PASSWORD = "correct horse"
KILOBYTES_BAR = 35.0
REVISION_BAR = 3.0
RECONNECT_BAR = 30.0
ADMIN_BAR = 0.2


def run(size: int = AGENTS) -> list[Result]:
    raise_limit()
    with tempfile.TemporaryDirectory() as folder:
        populate(Path(folder) / "sync", size)
        found = asyncio.run(measure(Path(folder), size))
    return [
        Result(f"sync: memory of each of {size:,} agents", found.kilobytes, KILOBYTES_BAR, "KB"),
        Result("sync: a revision acknowledged by all", found.revision, REVISION_BAR, "s"),
        Result("sync: all back after a restart", found.reconnect, RECONNECT_BAR, "s"),
        Result("sync: login meanwhile (95 of 100)", found.logins.late, ADMIN_BAR, "s"),
        Result("sync: overview meanwhile (95 of 100)", found.overviews.late, ADMIN_BAR, "s"),
    ]


def populate(data: Path, size: int, database: str | None = None) -> None:
    """As if all had paired: each has some of the folders."""
    kernel = open_kernel(SERVICE, SERVICE.settings(data=data, database_url=database))

    def fill(tx: Tx) -> None:
        for number in range(FOLDERS):
            folder = Folder(
                number + 1, f"Folder {number}", f"folder-{number}", [], Versioning(), False, 1
            )
            folders.put(tx.conn, folder)
        rows = []
        for number in range(size):
            public = key_of(number).public_key().public_bytes_raw()
            new = NewDevice(f"laptop {number}", "linux", public, engine_id_of(number), "1", "1")
            device = devices.add(tx.conn, new, 1)
            for turn in range(FOLDERS_EACH):
                folder_id = (number + turn) % FOLDERS + 1
                rows.append(Share(folder_id, device, "both", f"/home/user/folder-{folder_id}"))
        shares.add(tx.conn, rows)

    kernel.db.write_sync(fill)
    Login(kernel.db).set_password(PASSWORD)
    kernel.db.close()


@dataclass
class Times:
    seconds: list[float] = field(default_factory=list)

    @property
    def late(self) -> float:
        return quantiles(self.seconds, n=20)[-1] if len(self.seconds) > 1 else float("inf")

    def __str__(self) -> str:
        parts = quantiles(self.seconds, n=2)
        return f"{len(self.seconds)} times, median {parts[0]:.3f}, worst {max(self.seconds):.3f} s"


@dataclass
class Found:
    kilobytes: float = 0
    revision: float = 0
    reconnect: float = 0
    logins: Times = field(default_factory=Times)
    overviews: Times = field(default_factory=Times)


async def measure(folder: Path, size: int) -> Found:
    found, port = Found(), free_port()
    server = start(folder, port)
    agents = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "bench.sync_fleet_agents", str(port), str(size)),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    )
    try:
        await heard(agents)
        alone = resident_megabytes(server.pid)
        begun = time.monotonic()
        await ask(agents, "connect", "online")
        report("all online", begun, server)
        await asyncio.sleep(1)
        found.revision = await revise(agents, port, found, size)
        await asyncio.sleep(3)
        found.kilobytes = (resident_megabytes(server.pid) - alone) * 1000 / size
        begun = time.monotonic()
        server.send_signal(signal.SIGTERM)
        server.wait()
        report("stopped", begun)
        server = start(folder, port)
        report("started", begun, server)
        async with watched(port, found):
            print(await ask(agents, "online"))
        found.reconnect = time.monotonic() - begun
        report("all back", begun, server)
    finally:
        agents.kill()
        server.terminate()
        await agents.wait()
        server.wait()
    print("logins:", found.logins)
    print("overviews:", found.overviews)
    return found


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


async def ask(agents: asyncio.subprocess.Process, *words: str) -> Any:
    assert agents.stdin
    agents.stdin.write("".join(f"{word}\n" for word in words).encode())
    return await heard(agents)


async def heard(agents: asyncio.subprocess.Process) -> Any:
    assert agents.stdout
    return msgspec.json.decode(await agents.stdout.readline())


class Admin:
    def __init__(self, port: int) -> None:
        # Cookies of an address instead of a name are kept only when asked for.
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


async def revise(agents: asyncio.subprocess.Process, port: int, found: Found, size: int) -> float:
    """Until every agent has answered and the server has counted them."""
    admin = Admin(port)
    try:
        await admin.log_in()
        begun = time.monotonic()
        revision = await admin.revise()
        async with watched(port, found):
            await ask(agents, f"acknowledged {revision}")
            while True:
                overview = msgspec.json.decode(await admin.overview())
                if sum(each["appliedRev"] == revision for each in overview["devices"]) == size:
                    return time.monotonic() - begun
    finally:
        await admin.close()


@asynccontextmanager
async def watched(port: int, found: Found) -> AsyncIterator[None]:
    """Somebody logs in and looks at the overview all the time."""
    task = asyncio.create_task(look(port, found))
    try:
        yield
    finally:
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)


async def look(port: int, found: Found) -> None:
    admin = Admin(port)
    try:
        while True:
            await timed(admin.log_in(), found.logins)
            await timed(admin.overview(), found.overviews)
            await asyncio.sleep(0.3)
    finally:
        await admin.close()


async def timed(work: Any, times: Times) -> None:
    begun = time.monotonic()
    await work
    times.seconds.append(time.monotonic() - begun)


def report(what: str, begun: float, server: subprocess.Popen[str] | None = None) -> None:
    cpu = f", {cpu_seconds(server.pid):.1f} s of CPU" if server else ""
    print(f"{what} after {time.monotonic() - begun:.2f} s{cpu}", flush=True)


if __name__ == "__main__":
    show(run(int(sys.argv[1]) if len(sys.argv) > 1 else AGENTS))
