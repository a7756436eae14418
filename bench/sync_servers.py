"""Connect agents to two servers on one PostgreSQL: memory, a new revision, both overviews."""

import asyncio
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import msgspec
from tests.real_servers import free_port, postgres_server, redis_server

from bench.api import cpu_seconds
from bench.report import Result, show
from bench.start import resident_megabytes
from bench.sync_fleet import Admin, populate, read_reply, send_commands, start
from bench.sync_fleet_agents import raise_limit

AGENTS = 2_000
KILOBYTES_BAR = 40.0
REVISION_BAR = 3.0
SEEN_BAR = 3.0


def run(size: int = AGENTS) -> list[Result]:
    raise_limit()
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        os.environ["DATABASE_URL"] = stack.enter_context(postgres_server())
        os.environ["REDIS_URL"] = stack.enter_context(redis_server())
        populate(folder / "sync", size, database=os.environ["DATABASE_URL"])
        kilobytes, revision, seen = asyncio.run(measure(folder, size))
    return [
        Result(
            f"sync: memory per agent, {size:,} agents on two servers",
            kilobytes,
            KILOBYTES_BAR,
            "KB",
        ),
        Result("sync: a revision acknowledged at both servers", revision, REVISION_BAR, "s"),
        Result("sync: the revision shown by both servers", seen, SEEN_BAR, "s"),
    ]


async def measure(folder: Path, size: int) -> tuple[float, float, float]:
    ports = free_port(), free_port()
    servers = [start(folder / str(port), port) for port in ports]
    agents = [
        await asyncio.create_subprocess_exec(
            *(sys.executable, "-m", "bench.sync_fleet_agents", str(port)),
            *(str(size // 2), str(number * (size // 2))),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
        )
        for number, port in enumerate(ports)
    ]
    admins = [Admin(port) for port in ports]
    try:
        await asyncio.gather(*(read_reply(each) for each in agents))
        before = sum(resident_megabytes(server.pid) for server in servers)
        began = time.monotonic()
        await asyncio.gather(*(send_commands(each, "connect", "online") for each in agents))
        print(f"all online after {time.monotonic() - began:.2f} s", flush=True)
        for admin in admins:
            await admin.log_in()
        await until_shown(admins, lambda device: device["online"], size)
        print(f"shown online by both servers after {time.monotonic() - began:.2f} s", flush=True)
        began, cpu_before = time.monotonic(), cpu(servers)
        wanted = await admins[0].revise()
        await asyncio.gather(*(send_commands(each, f"acknowledged {wanted}") for each in agents))
        revision = time.monotonic() - began
        await until_shown(admins, lambda device: device["appliedRev"] == wanted, size)
        seen = time.monotonic() - began
        print(
            f"a revision took {cpu(servers) - cpu_before:.2f} s of CPU on both servers", flush=True
        )
        memory = sum(resident_megabytes(server.pid) for server in servers) - before
        return memory * 1000 / size, revision, seen
    finally:
        for admin in admins:
            await admin.close()
        for each in agents:
            each.kill()
            await each.wait()
        for server in servers:
            server.terminate()
            server.wait()


def cpu(servers: list[subprocess.Popen[str]]) -> float:
    return sum(cpu_seconds(server.pid) for server in servers)


async def until_shown(
    admins: list[Admin], matches: Callable[[dict[str, Any]], bool], size: int
) -> None:
    for admin in admins:
        while True:
            devices = msgspec.json.decode(await admin.overview())["devices"]
            if sum(matches(device) for device in devices) == size:
                break
            await asyncio.sleep(0.05)


if __name__ == "__main__":
    show(run(int(sys.argv[1]) if len(sys.argv) > 1 else AGENTS))
