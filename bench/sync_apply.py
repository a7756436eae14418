"""Time a share from `POST /api/shares` until both engines have it and the first file has arrived.

The peer is the same work done with direct calls to two Syncthing programs. Both alternate, with one
more folder in each round, so that other load on the machine affects both equally.
"""

import asyncio
import statistics
import tempfile
import time
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import aiohttp
import msgspec
from tests.real_servers import free_port
from tests.sync.engines import LoggedEngine, engine
from tests.sync.processes import Server, agent, joined, server, until

from bench.report import Result, show
from quartet.sync.engine.rest import Access, Rest

ROUNDS = 12
RATIO_BAR = 1.3
FILE_BAR = 1.0
POLL_SECONDS = 0.002
# Time for the engines to scan the folder of the round before.
REST_SECONDS = 0.5


@dataclass
class Times:
    configured: list[float] = field(default_factory=list)
    file_arrived: list[float] = field(default_factory=list)


def run() -> list[Result]:
    with tempfile.TemporaryDirectory() as folder:
        ours, bare = asyncio.run(measure(Path(folder)))
    for name, times in (("ours", ours), ("bare", bare)):
        rounded = [round(each * 1000) for each in times.configured]
        print(f"{name}: configured after {rounded} ms")
    extra = statistics.median(ours.file_arrived) - statistics.median(bare.file_arrived)
    return [
        Result(
            "sync: a share on both engines vs. Syncthing alone",
            statistics.median(ours.configured) * 1000,
            RATIO_BAR,
            "ms",
            statistics.median(bare.configured) * 1000,
        ),
        Result("sync: first file, extra time vs. Syncthing alone", extra, FILE_BAR, "s"),
    ]


async def measure(folder: Path) -> tuple[Times, Times]:
    ours, bare = Times(), Times()
    async with managed_pair(folder / "ours") as managed, manual_pair(folder / "bare") as manual:
        for number in range(ROUNDS):
            await measure_round(manual, number, bare)
            await measure_round(managed, number, ours)
    return ours, bare


async def measure_round(pair: "ManagedPair | ManualPair", number: int, times: Times) -> None:
    folder_id = await pair.prepare(number)
    await asyncio.sleep(REST_SECONDS)
    start = time.perf_counter()
    await pair.share(number)
    while not await configured(pair.hub, pair.device, folder_id):
        await asyncio.sleep(POLL_SECONDS)
    times.configured.append(time.perf_counter() - start)
    while not (pair.hub_folder(folder_id) / "first.txt").exists():
        await asyncio.sleep(POLL_SECONDS)
    times.file_arrived.append(time.perf_counter() - start)


async def configured(hub: Rest, device: Rest, folder_id: str) -> bool:
    """Return True if the hub shares the folder with the device, and the device with the hub."""
    # The device is configured last; polling both all the time would slow down both.
    for rest in (device, hub):
        folders = await rest.get(list[Any], "config/folders")
        if not any(each["id"] == folder_id and len(each["devices"]) == 2 for each in folders):
            return False
    return True


def create_folder(home: Path, number: int) -> Path:
    """Create a folder with a file to transfer."""
    path = home / f"folder-{number}"
    path.mkdir()
    (path / "first.txt").write_text("hello")
    return path


class ManagedPair:
    """Our server and our agent, each a process with its own engine."""

    def __init__(self, control: Server, api: aiohttp.ClientSession, home: Path) -> None:
        self._control = control
        self._api = api
        self._home = home
        self._laptop = control.device("laptop")["id"]
        self._folder: dict[str, Any] = {}
        self._path = home
        self.hub = rest_of(control.data / "hub")
        self.device = rest_of(home / ".agent" / "engine")

    def hub_folder(self, folder_id: str) -> Path:
        return self._control.data / "folders" / folder_id

    async def prepare(self, number: int) -> str:
        self._path = create_folder(self._home, number)
        self._folder = self._control.post("/api/folders", {"label": f"Folder {number}"})
        revision = self._control.get("/api/overview")["revision"]
        until(lambda: self._control.device("laptop")["appliedRev"] >= revision)
        until(lambda: self._control.get("/api/overview")["hub"]["appliedRevision"] >= revision)
        folder_id: str = self._folder["engineFolderId"]
        return folder_id

    async def share(self, _number: int) -> None:
        row = {
            "folderId": self._folder["id"],
            "deviceId": self._laptop,
            "mode": "both",
            "path": str(self._path),
        }
        async with self._api.post("/api/shares", json={"changes": [row]}) as answer:
            assert answer.ok, await answer.text()


class ManualPair:
    """Two engines configured by direct REST calls."""

    def __init__(self, hub: LoggedEngine, device: LoggedEngine, folder: Path) -> None:
        self._engines = (hub, device)
        self._folder = folder
        self.hub, self.device = hub.rest, device.rest

    def hub_folder(self, folder_id: str) -> Path:
        return self._folder / "folders" / folder_id

    async def connect(self) -> None:
        hub, device = self._engines
        peers = ((self.hub, device.id, "dynamic"), (self.device, hub.id, hub.address))
        for rest, device_id, address in peers:
            body = {"deviceID": device_id, "addresses": [address]}
            await rest.request("PUT", f"config/devices/{device_id}", body)

    async def prepare(self, number: int) -> str:
        """Create the folder on the hub, as our server does."""
        folder_id = f"folder-{number}"
        create_folder(self._folder, number)
        await self._put(self.hub, folder_id, self.hub_folder(folder_id))
        return folder_id

    async def share(self, number: int) -> None:
        folder_id, (hub, device) = f"folder-{number}", self._engines
        await self._put(self.hub, folder_id, self.hub_folder(folder_id), device.id)
        await self._put(self.device, folder_id, self._folder / folder_id, hub.id)

    async def _put(self, rest: Rest, folder_id: str, path: Path, *peers: str) -> None:
        body = {
            "id": folder_id,
            "label": folder_id,
            "path": str(path),
            "devices": [{"deviceID": each} for each in peers],
            "fsWatcherDelayS": 1,
        }
        await rest.request("PUT", f"config/folders/{folder_id}", body)


@asynccontextmanager
async def managed_pair(folder: Path) -> AsyncIterator[ManagedPair]:
    folder.mkdir()
    async with AsyncExitStack() as stack:
        control = stack.enter_context(server(folder))
        home = joined(control, folder, "laptop")
        stack.enter_context(agent(home))
        until(lambda: control.device("laptop").get("online"))
        until(lambda: control.get("/api/overview")["hub"]["state"] == "running")
        # Use the same HTTP client as the direct calls.
        names = ("x-csrf-token", "cookie")
        request = control.api.build_request("GET", "/")
        headers = {name: request.headers[name] for name in names}
        api = aiohttp.ClientSession(control.url, headers=headers)
        pair = ManagedPair(control, await stack.enter_async_context(api), home)
        stack.push_async_callback(pair.hub.close)
        stack.push_async_callback(pair.device.close)
        yield pair


@asynccontextmanager
async def manual_pair(folder: Path) -> AsyncIterator[ManualPair]:
    folder.mkdir()
    port = free_port()
    async with engine(folder / "hub", port=port) as hub, engine(folder / "device") as device:
        pair = ManualPair(hub, device, folder)
        await pair.connect()
        yield pair


def rest_of(home: Path) -> Rest:
    """Return a client for an engine's REST API, from the file written when it was started."""
    until((home / "running.json").exists)
    return Rest(msgspec.json.decode((home / "running.json").read_bytes(), type=Access))


if __name__ == "__main__":
    show(run())
