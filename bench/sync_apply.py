"""A share, from `POST /api/shares` until both real engines have it and the first file is across,
beside the bare calls to two Syncthing programs that do the same. Taken in turns, with more folders
at each turn, so that what else the machine does hits both alike."""

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
from tests.sync.engines import Watched, engine
from tests.sync.fleet import Server, agent, joined, server, until

from bench.report import Result, show
from quartet.sync.engine.rest import Access, Rest

ROUNDS = 12
RATIO_BAR = 1.5
FILE_BAR = 1.0
POLL_SECONDS = 0.002
# Until engines have looked at the folder of the turn before.
REST_SECONDS = 0.5


@dataclass
class Times:
    configured: list[float] = field(default_factory=list)
    across: list[float] = field(default_factory=list)


def run() -> list[Result]:
    with tempfile.TemporaryDirectory() as folder:
        ours, bare = asyncio.run(measure(Path(folder)))
    for name, times in (("ours", ours), ("bare", bare)):
        rounded = [round(each * 1000) for each in times.configured]
        print(f"{name}: configured after {rounded} ms")
    more = statistics.median(ours.across) - statistics.median(bare.across)
    return [
        Result(
            "sync: a share on both engines, beside bare Syncthing",
            statistics.median(ours.configured) * 1000,
            RATIO_BAR,
            "ms",
            statistics.median(bare.configured) * 1000,
        ),
        Result("sync: first file across, beyond bare Syncthing", more, FILE_BAR, "s"),
    ]


async def measure(folder: Path) -> tuple[Times, Times]:
    ours, bare = Times(), Times()
    async with steered(folder / "ours") as steer, by_hand(folder / "bare") as hand:
        for number in range(ROUNDS):
            await once(hand, number, bare)
            await once(steer, number, ours)
    return ours, bare


async def once(pair: "Steered | ByHand", number: int, times: Times) -> None:
    ident = await pair.prepare(number)
    await asyncio.sleep(REST_SECONDS)
    begun = time.perf_counter()
    await pair.share(number)
    while not await configured(pair.hub, pair.device, ident):
        await asyncio.sleep(POLL_SECONDS)
    times.configured.append(time.perf_counter() - begun)
    while not (pair.hub_folder(ident) / "first.txt").exists():
        await asyncio.sleep(POLL_SECONDS)
    times.across.append(time.perf_counter() - begun)


async def configured(hub: Rest, device: Rest, ident: str) -> bool:
    """The hub shares it with the device, and the device with the hub."""
    # The device gets it last; to ask both all the time would slow down both.
    for rest in (device, hub):
        folders = await rest.get(list[Any], "config/folders")
        if not any(each["id"] == ident and len(each["devices"]) == 2 for each in folders):
            return False
    return True


def place(home: Path, number: int) -> Path:
    """With something in it, that shall get across."""
    path = home / f"folder-{number}"
    path.mkdir()
    (path / "first.txt").write_text("hello")
    return path


class Steered:
    """Our server and our agent, each a process, each with its engine."""

    def __init__(self, desk: Server, api: aiohttp.ClientSession, home: Path) -> None:
        self._desk = desk
        self._api = api
        self._home = home
        self._laptop = desk.device("laptop")["id"]
        self._folder: dict[str, Any] = {}
        self._path = home
        self.hub = rest_of(desk.data / "hub")
        self.device = rest_of(home / ".agent" / "engine")

    def hub_folder(self, ident: str) -> Path:
        return self._desk.data / "folders" / ident

    async def prepare(self, number: int) -> str:
        self._path = place(self._home, number)
        self._folder = self._desk.post("/api/folders", {"label": f"Folder {number}"})
        revision = self._desk.get("/api/overview")["revision"]
        until(lambda: self._desk.device("laptop")["appliedRev"] >= revision)
        until(lambda: self._desk.get("/api/overview")["hub"]["appliedRevision"] >= revision)
        ident: str = self._folder["engineFolderId"]
        return ident

    async def share(self, _number: int) -> None:
        row = {
            "folderId": self._folder["id"],
            "deviceId": self._laptop,
            "mode": "both",
            "path": str(self._path),
        }
        async with self._api.post("/api/shares", json={"changes": [row]}) as answer:
            assert answer.ok, await answer.text()


class ByHand:
    """Two engines, and the calls somebody would make by hand."""

    def __init__(self, hub: Watched, device: Watched, folder: Path) -> None:
        self._engines = (hub, device)
        self._folder = folder
        self.hub, self.device = hub.rest, device.rest

    def hub_folder(self, ident: str) -> Path:
        return self._folder / "folders" / ident

    async def introduce(self) -> None:
        hub, device = self._engines
        peers = ((self.hub, device.id, "dynamic"), (self.device, hub.id, hub.address))
        for rest, ident, address in peers:
            body = {"deviceID": ident, "addresses": [address]}
            await rest.ask("PUT", f"config/devices/{ident}", body)

    async def prepare(self, number: int) -> str:
        """The hub has it already, as ours does."""
        ident = f"folder-{number}"
        place(self._folder, number)
        await self._put(self.hub, ident, self.hub_folder(ident))
        return ident

    async def share(self, number: int) -> None:
        ident, (hub, device) = f"folder-{number}", self._engines
        await self._put(self.hub, ident, self.hub_folder(ident), device.id)
        await self._put(self.device, ident, self._folder / ident, hub.id)

    async def _put(self, rest: Rest, ident: str, path: Path, *peers: str) -> None:
        body = {
            "id": ident,
            "label": ident,
            "path": str(path),
            "devices": [{"deviceID": each} for each in peers],
            "fsWatcherDelayS": 1,
        }
        await rest.ask("PUT", f"config/folders/{ident}", body)


@asynccontextmanager
async def steered(folder: Path) -> AsyncIterator[Steered]:
    folder.mkdir()
    async with AsyncExitStack() as stack:
        desk = stack.enter_context(server(folder))
        home = joined(desk, folder, "laptop")
        stack.enter_context(agent(home))
        until(lambda: desk.device("laptop").get("online"))
        until(lambda: desk.get("/api/overview")["hub"]["state"] == "running")
        # The same client as for the bare calls.
        names = ("x-csrf-token", "cookie")
        request = desk.api.build_request("GET", "/")
        headers = {name: request.headers[name] for name in names}
        api = aiohttp.ClientSession(desk.url, headers=headers)
        made = Steered(desk, await stack.enter_async_context(api), home)
        stack.push_async_callback(made.hub.close)
        stack.push_async_callback(made.device.close)
        yield made


@asynccontextmanager
async def by_hand(folder: Path) -> AsyncIterator[ByHand]:
    folder.mkdir()
    port = free_port()
    async with engine(folder / "hub", port=port) as hub, engine(folder / "device") as device:
        made = ByHand(hub, device, folder)
        await made.introduce()
        yield made


def rest_of(home: Path) -> Rest:
    """The engine's own door, as whoever started it has noted it."""
    until((home / "running.json").exists)
    return Rest(msgspec.json.decode((home / "running.json").read_bytes(), type=Access))


if __name__ == "__main__":
    show(run())
