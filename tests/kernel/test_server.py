"""A real server process under load, and its shutdown."""

import asyncio
import os
import signal
import socket
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path

import aiohttp
import pytest

from quartet.kernel.server import EXIT_ADDRESS, EXIT_OK, EXIT_START
from tests.kernel.server_process import outcome, serving, spawn

pytestmark = pytest.mark.anyio

STREAMS = 200
EVENTS = 5
# The server's CPU time for one event to all streams. Elapsed time would depend on other processes.
CPU_SECONDS_PER_EVENT = 0.05


@asynccontextmanager
async def client() -> AsyncIterator[aiohttp.ClientSession]:
    connector = aiohttp.TCPConnector(limit=0)
    timeout = aiohttp.ClientTimeout(total=None, sock_connect=10)
    async with aiohttp.ClientSession(connector=connector, timeout=timeout) as session:
        yield session


@dataclass
class Streams:
    """Many open browsers that count the received events."""

    count: int
    got: int = 0
    all_got: asyncio.Event = field(default_factory=asyncio.Event)
    tasks: list[asyncio.Task[bool]] = field(default_factory=list)

    async def open(self, session: aiohttp.ClientSession, url: str) -> None:
        self.tasks = [asyncio.create_task(self._read(session, url)) for _ in range(self.count)]
        while await (await session.get(f"{url}/streams")).json() < self.count:
            await asyncio.sleep(0.02)

    async def _read(self, session: aiohttp.ClientSession, url: str) -> bool:
        async with session.get(f"{url}/events") as response:
            async for chunk in response.content.iter_any():
                if b"event: tick" in chunk:
                    self.got += 1
                    if self.got == self.count:
                        self.all_got.set()
        return True

    async def publish(self, session: aiohttp.ClientSession, url: str) -> None:
        """Publish an event and wait until the last browser has received it."""
        self.got = 0
        self.all_got.clear()
        await session.post(f"{url}/publish")
        await asyncio.wait_for(self.all_got.wait(), 60)

    async def clean_ends(self) -> int:
        return sum(await asyncio.wait_for(asyncio.gather(*self.tasks), 60))


@pytest.mark.parametrize("backend", ["memory", "redis"])
async def test_200_streams_receive_events_cheaply_and_end_cleanly(
    backend: str, tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    url = request.getfixturevalue("redis_url") if backend == "redis" else None
    with serving(tmp_path, events=url) as process:
        async with client() as session:
            streams = Streams(STREAMS)
            await streams.open(session, process.url)
            before = process.cpu_seconds()
            for _ in range(EVENTS):
                await streams.publish(session, process.url)
            used = process.cpu_seconds() - before
            code = await process.end()
            assert await streams.clean_ends() == STREAMS
    assert used / EVENTS < CPU_SECONDS_PER_EVENT
    assert code == EXIT_OK
    assert (tmp_path / "app").read_text() == "stopped"


async def test_websockets_receive_events_and_restart_code(tmp_path: Path) -> None:
    with serving(tmp_path) as process:
        async with client() as session, AsyncExitStack() as stack:
            sockets = [
                await stack.enter_async_context(session.ws_connect(f"{process.url}/ws"))
                for _ in range(50)
            ]
            await session.post(f"{process.url}/publish")
            messages = [await each.receive_json(timeout=60) for each in sockets]
            assert {message["type"] for message in messages} == {"tick"}
            ending = asyncio.create_task(process.end())
            goodbyes = [await each.receive(timeout=60) for each in sockets]
            assert {goodbye.data for goodbye in goodbyes} == {1012}
            code = await ending
    assert code == EXIT_OK
    assert (tmp_path / "app").exists()


async def test_client_that_does_not_read_delays_no_other_client(tmp_path: Path) -> None:
    with serving(tmp_path) as process:
        async with client() as session:
            deaf = socket.create_connection(("127.0.0.1", process.ports["app"]))
            deaf.sendall(b"GET /events HTTP/1.1\r\nHost: x\r\n\r\n")
            streams = Streams(2)
            await streams.open(session, process.url)
            before = resident_bytes(process.process.pid)
            for _ in range(250):
                await session.post(f"{process.url}/publish", params={"filler": 400_000})
            grown = resident_bytes(process.process.pid) - before
            code = await process.end()
            assert await streams.clean_ends() == 2
            deaf.close()
    assert grown < 60 * 1024 * 1024
    assert code == EXIT_OK
    assert (tmp_path / "app").exists()


def resident_bytes(pid: int) -> int:
    return int(Path(f"/proc/{pid}/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")


async def test_several_apps_and_second_port_in_one_process(tmp_path: Path) -> None:
    with serving(tmp_path, apps=["one", "two"], second=True) as process:
        assert list(process.ports) == ["one", "one again", "two", "two again"]
        async with client() as session:
            counts = dict.fromkeys(process.ports, 0)
            sessions = [
                await session.get(f"http://127.0.0.1:{process.ports[name]}/events")
                for name in ("one", "one again", "two")
            ]
            for name, port in process.ports.items():
                response = await session.get(f"http://127.0.0.1:{port}/streams")
                assert "server" not in response.headers
                assert "date" in response.headers
                counts[name] = await response.json()
            code = await process.end(signal.SIGINT)
            for stream in sessions:
                await stream.read()
    assert counts == {"one": 2, "one again": 2, "two": 1, "two again": 1}
    assert code == EXIT_OK
    assert {path.name for path in tmp_path.iterdir()} == {"one", "two"}


async def test_running_requests_may_finish_within_limit(tmp_path: Path) -> None:
    with serving(tmp_path) as process:
        async with client() as session:
            quick = asyncio.create_task(session.get(f"{process.url}/slow?seconds=0.4"))
            endless = asyncio.create_task(session.get(f"{process.url}/slow?seconds=60"))
            while await (await session.get(f"{process.url}/streams")).json() < 2:
                pass
            code = await process.end()
            assert await (await quick).text() == "done"
            with pytest.raises(aiohttp.ClientError):
                await endless
    assert code == EXIT_OK
    assert (tmp_path / "app").exists()


async def test_fatal_error_sets_exit_code(tmp_path: Path) -> None:
    with serving(tmp_path) as process:
        async with client() as session:
            stream = await session.get(f"{process.url}/events")
            await session.post(f"{process.url}/doom")
            await stream.read()
        assert await asyncio.to_thread(process.process.wait, 60) == 7
    assert (tmp_path / "app").exists()


@pytest.mark.parametrize("second", [signal.SIGINT, signal.SIGTERM])
async def test_second_signal_exits_immediately(tmp_path: Path, second: signal.Signals) -> None:
    with serving(tmp_path, linger=60) as process:
        async with client() as session:
            stream = await session.get(f"{process.url}/events")
            process.process.send_signal(signal.SIGTERM)
            await stream.read()
        code = await process.end(second)
    assert code == 128 + second
    assert not (tmp_path / "app").exists()


@pytest.mark.parametrize(
    ("host", "port", "reason"),
    [
        ("127.0.0.1", None, "Address already in use; port "),
        ("192.0.2.1", 8080, "Cannot assign requested address"),
        ("127.0.0.1", 70000, "invalid port"),
    ],
)
async def test_unavailable_address_exits_with_code(
    tmp_path: Path, host: str, port: int | None, reason: str
) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = port or taken.getsockname()[1]
        code, errors = await outcome(spawn(tmp_path, host=host, port=port))
    assert code == EXIT_ADDRESS
    [line] = errors.splitlines()
    assert line.startswith(f"quartet: app cannot listen on {host}:{port}: ")
    assert reason in line
    assert list(tmp_path.iterdir()) == []


async def test_failed_start_of_one_app_shuts_down_others(tmp_path: Path) -> None:
    code, errors = await outcome(spawn(tmp_path, apps=["one", "two"], fails="two"))
    assert code == EXIT_START
    assert "quartet: two did not start" in errors
    assert "RuntimeError: cannot start" in errors
    assert [path.name for path in tmp_path.iterdir()] == ["one"]


async def test_systemd_is_notified(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as systemd:
        systemd.bind(str(tmp_path / "notify"))
        systemd.settimeout(60)
        monkeypatch.setenv("NOTIFY_SOCKET", str(tmp_path / "notify"))
        with serving(tmp_path) as process:
            assert systemd.recv(100) == b"READY=1"
            await process.end()
            assert systemd.recv(100) == b"STOPPING=1"
