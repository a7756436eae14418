"""The engine's REST interface, as far as we use it."""

import asyncio
from typing import Any, TypeVar

import aiohttp
import msgspec

from quartet.kernel.errors import AppError
from quartet.sync.engine.types import (
    Completion,
    Connections,
    Event,
    FileInfo,
    Ignores,
    LocalChanges,
    Summary,
    SystemStatus,
    SystemVersion,
)

T = TypeVar("T")
Query = dict[str, str | int]

ANSWER_SECONDS = 60.0
# A scan answers when it is done.
SCAN_SECONDS = 24 * 3600.0
AT_ONCE = 16
MOST_CHANGES = 10_000
BOUNCE_SECONDS = 5.0
BOUNCE_LOOKS = 100


class Access(msgspec.Struct, frozen=True):
    """Where an engine listens (`unix://` or host and port) and the key that opens it."""

    address: str
    key: str


class Rest:
    def __init__(self, access: Access) -> None:
        path = access.address.removeprefix("unix://")
        by_port = path == access.address
        self._base = f"http://{access.address}" if by_port else "http://localhost"
        connector = (
            aiohttp.TCPConnector(limit=AT_ONCE)
            if by_port
            else aiohttp.UnixConnector(path, limit=AT_ONCE)
        )
        self._session = aiohttp.ClientSession(
            connector=connector, headers={"X-API-Key": access.key}, trust_env=False
        )

    async def close(self) -> None:
        await self._session.close()

    async def ask(
        self,
        method: str,
        path: str,
        body: object = None,
        query: Query | None = None,
        *,
        seconds: float = ANSWER_SECONDS,
    ) -> bytes:
        try:
            async with self._session.request(
                method,
                f"{self._base}/rest/{path}",
                params=query,
                data=None if body is None else msgspec.json.encode(body),
                timeout=aiohttp.ClientTimeout(total=seconds),
            ) as answer:
                content = await answer.read()
        except (TimeoutError, aiohttp.ClientError, OSError) as error:
            raise AppError(503, "engine_unreachable") from error
        if answer.status >= 400:
            reason = content.decode(errors="replace").strip()[:300]
            raise AppError(502, "engine_refused", path=path, reason=reason)
        return content

    async def get(self, kind: type[T], path: str, **query: str | int) -> T:
        return msgspec.json.decode(await self.ask("GET", path, query=query), type=kind)

    async def status(self) -> SystemStatus:
        return await self.get(SystemStatus, "system/status")

    async def version(self) -> SystemVersion:
        return await self.get(SystemVersion, "system/version")

    async def connections(self) -> Connections:
        return await self.get(Connections, "system/connections")

    async def config(self) -> dict[str, Any]:
        return await self.get(dict[str, Any], "config")

    async def shares(self) -> dict[str, Any]:
        """The devices and folders of the configuration, in half the time of all of it."""
        devices, folders = await asyncio.gather(
            self.get(list[Any], "config/devices"), self.get(list[Any], "config/folders")
        )
        return {"devices": devices, "folders": folders}

    async def summary(self, folder: str) -> Summary:
        return await self.get(Summary, "db/status", folder=folder)

    async def completion(self, folder: str, device: str) -> Completion:
        return await self.get(Completion, "db/completion", folder=folder, device=device)

    async def modified_by(self, folder: str, path: str) -> str:
        """The first seven characters of the engine id of the device that changed a file last."""
        found = await self.get(FileInfo, "db/file", folder=folder, file=path)
        return found.newest.modified_by

    async def set_ignores(self, folder: str, patterns: list[str]) -> Ignores:
        content = await self.ask("POST", "db/ignores", {"ignore": patterns}, {"folder": folder})
        return msgspec.json.decode(content, type=Ignores)

    async def scan(self, folder: str, path: str = "") -> None:
        query: Query = {"folder": folder, **({"sub": path} if path else {})}
        await self.ask("POST", "db/scan", query=query, seconds=SCAN_SECONDS)

    async def local_changes(self, folder: str) -> list[str]:
        """What a receive-only folder has of its own, as far as anybody would look through it."""
        query: Query = {"folder": folder, "page": 1, "perpage": MOST_CHANGES}
        found = await self.get(LocalChanges, "db/localchanged", **query)
        return [each.name for each in found.files]

    async def revert(self, folder: str) -> None:
        """Undoes local changes of a receive-only folder."""
        await self.ask("POST", "db/revert", query={"folder": folder})

    async def override(self, folder: str) -> None:
        """Makes a send-only folder the truth for everybody."""
        await self.ask("POST", "db/override", query={"folder": folder})

    async def bounce(self, device: str) -> None:
        """Makes a connection anew."""
        await self.ask("POST", "system/pause", query={"device": device})
        # Resumed before it is closed it would wait for the next round of dialling.
        for _ in range(BOUNCE_LOOKS):
            if not (await self.connections()).connections[device].connected:
                break
            await asyncio.sleep(BOUNCE_SECONDS / BOUNCE_LOOKS)
        await self.ask("POST", "system/resume", query={"device": device})

    async def shut_down(self) -> None:
        await self.ask("POST", "system/shutdown", seconds=5)

    async def events(
        self, since: int, wait: int, path: str = "events", types: str = ""
    ) -> list[Event]:
        query: Query = {"since": since, "timeout": wait}
        if types:
            query["events"] = types
        content = await self.ask("GET", path, query=query, seconds=wait + 30)
        return msgspec.json.decode(content, type=list[Event])
