"""Client for the parts of Syncthing's REST API that we use."""

import asyncio
from typing import Any, TypeVar
from urllib.parse import quote

import msgspec

from quartet.kernel.errors import AppError
from quartet.sync.engine.types import (
    Connections,
    EngineCompletion,
    EngineEvent,
    FailedFile,
    FailedFiles,
    FileInfo,
    Ignores,
    LocalChanges,
    NamedFile,
    NeededFile,
    NeededFiles,
    PendingPeer,
    RemoteNeededFiles,
    Summary,
    SystemStatus,
    SystemVersion,
)

T = TypeVar("T")
Query = dict[str, str | int]

ANSWER_SECONDS = 60.0
# A scan request returns only when the scan is done.
SCAN_SECONDS = 24 * 3600.0
AT_ONCE = 16
MOST_CHANGES = 10_000
MOST_NEEDED = 100_000
RECONNECT_SECONDS = 5.0
RECONNECT_CHECKS = 100


class Access(msgspec.Struct, frozen=True):
    """The address of an engine's API (`unix://` or host and port) and its API key."""

    address: str
    key: str


class Rest:
    def __init__(self, access: Access) -> None:
        import aiohttp

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

    async def request(
        self,
        method: str,
        path: str,
        body: object = None,
        query: Query | None = None,
        *,
        seconds: float = ANSWER_SECONDS,
    ) -> bytes:
        import aiohttp

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
        return msgspec.json.decode(await self.request("GET", path, query=query), type=kind)

    async def status(self) -> SystemStatus:
        return await self.get(SystemStatus, "system/status")

    async def version(self) -> SystemVersion:
        return await self.get(SystemVersion, "system/version")

    async def connections(self) -> Connections:
        return await self.get(Connections, "system/connections")

    async def pending_peers(self) -> dict[str, PendingPeer]:
        """Return unknown devices that have tried to connect, by engine id."""
        return await self.get(dict[str, PendingPeer], "cluster/pending/devices")

    async def forget_pending_peer(self, peer: str) -> None:
        await self.request("DELETE", "cluster/pending/devices", query={"device": peer})

    async def config(self) -> dict[str, Any]:
        return await self.get(dict[str, Any], "config")

    async def shares(self) -> dict[str, Any]:
        """Return only the devices and folders of the configuration, which takes half the time."""
        devices, folders = await asyncio.gather(
            self.get(list[Any], "config/devices"), self.get(list[Any], "config/folders")
        )
        return {"devices": devices, "folders": folders}

    async def summary(self, folder: str) -> Summary:
        return await self.get(Summary, "db/status", folder=folder)

    async def completion(self, folder: str, device: str) -> EngineCompletion:
        return await self.get(EngineCompletion, "db/completion", folder=folder, device=device)

    async def last_change(self, folder: str) -> int:
        """Return the number of the engine's own last change in a folder."""
        return (await self.get(EngineCompletion, "db/completion", folder=folder)).sequence

    async def modified_by(self, folder: str, path: str) -> str:
        """Return the first seven characters of the engine id of the device that last changed a
        file.
        """
        found = await self.get(FileInfo, "db/file", folder=folder, file=path)
        return found.newest.modified_by

    async def set_ignores(self, folder: str, patterns: list[str]) -> Ignores:
        content = await self.request("POST", "db/ignores", {"ignore": patterns}, {"folder": folder})
        return msgspec.json.decode(content, type=Ignores)

    async def scan(self, folder: str, path: str = "") -> None:
        query: Query = {"folder": folder, **({"sub": path} if path else {})}
        await self.request("POST", "db/scan", query=query, seconds=SCAN_SECONDS)

    async def local_changes(self, folder: str, most: int = MOST_CHANGES) -> list[NamedFile]:
        """Return the locally changed files of a receive-only folder, up to a limit."""
        query: Query = {"folder": folder, "page": 1, "perpage": most}
        return (await self.get(LocalChanges, "db/localchanged", **query)).files

    async def needed(self, folder: str, most: int = MOST_NEEDED) -> list[NeededFile]:
        """Return the items that the engine is about to change, up to a limit."""
        query: Query = {"folder": folder, "page": 1, "perpage": most}
        found = await self.get(NeededFiles, "db/need", **query)
        return [*(found.progress or []), *(found.queued or []), *(found.rest or [])]

    async def needed_by(self, folder: str, device: str, most: int) -> list[NeededFile]:
        """Return the items that another device lacks, as far as this engine knows."""
        query: Query = {"folder": folder, "device": device, "page": 1, "perpage": most}
        return (await self.get(RemoteNeededFiles, "db/remoteneed", **query)).files or []

    async def failed(self, folder: str, most: int) -> list[FailedFile]:
        """Return the items that the engine could not change, up to a limit."""
        query: Query = {"folder": folder, "page": 1, "perpage": most}
        return (await self.get(FailedFiles, "folder/errors", **query)).errors or []

    async def restart(self, folder: str) -> None:
        """Pause and resume a folder, so that the engine looks at all of it again."""
        path = f"config/folders/{quote(folder, safe='')}"
        await self.request("PATCH", path, {"paused": True})
        await self.request("PATCH", path, {"paused": False})

    async def revert(self, folder: str) -> None:
        """Revert local changes of a receive-only folder."""
        await self.request("POST", "db/revert", query={"folder": folder})

    async def override(self, folder: str) -> None:
        """Overwrite the changes of other devices with a send-only folder."""
        await self.request("POST", "db/override", query={"folder": folder})

    async def reconnect(self, device: str) -> None:
        """Close and reopen the connection to a device."""
        await self.request("POST", "system/pause", query={"device": device})
        # Resuming before the connection is closed would delay the reconnect to the next dial round.
        for _ in range(RECONNECT_CHECKS):
            if not (await self.connections()).connections[device].connected:
                break
            await asyncio.sleep(RECONNECT_SECONDS / RECONNECT_CHECKS)
        await self.request("POST", "system/resume", query={"device": device})

    async def shut_down(self) -> None:
        await self.request("POST", "system/shutdown", seconds=5)

    async def events(
        self, since: int, wait: int, path: str = "events", types: str = ""
    ) -> list[EngineEvent]:
        query: Query = {"since": since, "timeout": wait}
        if types:
            query["events"] = types
        content = await self.request("GET", path, query=query, seconds=wait + 30)
        return msgspec.json.decode(content, type=list[EngineEvent])
