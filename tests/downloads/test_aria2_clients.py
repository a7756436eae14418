"""Existing aria2 clients drive a real server."""

import asyncio
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import aioaria2
import aria2p
import pytest

from tests.downloads.killed import Servers
from tests.downloads.transfer.servers import Nginx, nginx

DATA = bytes(range(256)) * 4000


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Nginx]:
    with nginx(tmp_path_factory.mktemp("nginx")) as server:
        # Large enough that it does not finish on a stalled machine.
        server.add("a.bin", bytes(64 << 20))
        for name in ("b.bin", "c.bin"):
            server.add(name, DATA)
        yield server


@contextmanager
def started(servers: Servers, token: str = "") -> Iterator[str]:
    """Start the server and yield its API token."""
    with servers.start() as process, servers.client(process) as client:
        yield token or str(client.post("/api/settings/api-token").json()["token"])


def client_of(servers: Servers, token: str) -> aria2p.API:
    return aria2p.API(aria2p.Client("http://127.0.0.1", servers.port, token))


def until(download: aria2p.Download, right: Callable[[aria2p.Download], bool]) -> None:
    for _ in range(2000):
        download.update()
        if right(download):
            return
    raise AssertionError(download.status)


def test_aria2p_controls_downloads(files: Nginx, tmp_path: Path) -> None:
    servers = Servers(tmp_path)
    with started(servers) as token:
        api = client_of(servers, token)
        assert api.set_global_options({"max-concurrent-downloads": "1"})
        slow = api.add_uris([files.url("slow/a.bin")], options={"gid": "2089b05ecca3d829"})
        second, third = (api.add_uris([files.url(name)]) for name in ("b.bin", "c.bin"))
        until(slow, lambda each: each.is_active and each.completed_length > 0)
        assert api.pause([second, third]) == [True, True]
        until(second, lambda each: each.is_paused)
        assert api.move_to_top(third) == 0
        waiting = [each["gid"] for each in api.client.tell_waiting(0, 9, ["gid"])]
        assert waiting == [third.gid, second.gid]
        assert api.set_options({"max-download-limit": "900K"}, [third]) == [True]
        assert third.options.max_download_limit == 900 * 1024
    with started(servers, token):
        api = client_of(servers, token)
        slow = api.get_download("2089b05ecca3d829")
        third = api.get_download(third.gid)
        assert third.is_paused
        assert api.remove([slow]) == [True]
        assert api.resume_all()
        until(third, lambda each: each.is_complete)
        assert Path(third.files[0].path).read_bytes() == DATA
        second = api.get_download(second.gid)
        until(second, lambda each: each.is_complete)
        assert api.get_stats().num_stopped == 2
        assert api.purge()
        assert api.get_downloads() == []
        version = command_line(servers, token, "call", "getVersion")
        assert '"version": "1.37.0"' in version


def command_line(servers: Servers, token: str, *arguments: str) -> str:
    given = ["-p", str(servers.port), "-s", token, *arguments]
    command = [str(Path(sys.executable).with_name("aria2p")), *given]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


@pytest.mark.anyio
async def test_aioaria2_receives_notifications(files: Nginx, tmp_path: Path) -> None:
    servers = Servers(tmp_path)
    seen: asyncio.Queue[tuple[str, str]] = asyncio.Queue()

    def note(name: str) -> Any:
        async def receive(_client: Any, data: dict[str, Any]) -> None:
            await seen.put((name, data["params"][0]["gid"]))

        return receive

    with started(servers) as token:
        address = f"http://127.0.0.1:{servers.port}/jsonrpc"
        client = await aioaria2.Aria2WebsocketClient.new(address, token=token)
        try:
            client.onDownloadStart(note("start"))
            client.onDownloadComplete(note("complete"))
            client.onDownloadPause(note("pause"))
            client.onDownloadStop(note("stop"))
            async with asyncio.timeout(60):
                gid = await client.addUri([files.url("b.bin")])
                assert [await seen.get(), await seen.get()] == [("start", gid), ("complete", gid)]
                slow = await client.addUri([files.url("slow/a.bin")])
                assert await seen.get() == ("start", slow)
                await client.pause(slow)
                assert await seen.get() == ("pause", slow)
                await client.remove(slow)
                assert await seen.get() == ("stop", slow)
                calls = [{"methodName": "aria2.tellStatus", "params": [gid, ["status"]]}]
                assert await client.multicall(calls) == [[{"status": "complete"}]]
        finally:
            await client.close()
