"""The methods of the aria2 interface."""

import base64
import binascii
from collections.abc import Sequence
from typing import Any

from quartet.downloads.aria2 import status
from quartet.downloads.aria2.adding import NewDownloads
from quartet.downloads.aria2.options_service import Aria2Options
from quartet.downloads.aria2.protocol import Method
from quartet.downloads.aria2.service import Aria2
from quartet.downloads.aria2.types import How, RpcError

OK = "OK"
# The version whose interface this is; clients check it for features.
VERSION = "1.37.0"
FEATURES = ["Async DNS", "BitTorrent", "GZip", "HTTPS", "Message Digest", "Metalink"]


class Methods:
    def __init__(self, aria2: Aria2, new: NewDownloads, options: Aria2Options) -> None:
        self._aria2 = aria2
        self._new = new
        self._options = options

    def all(self) -> dict[str, Method]:
        """Return the methods by the name that clients call."""
        names = [name for name in dir(self) if not name.startswith("_") and name != "all"]
        return {f"aria2.{_camel(name)}": getattr(self, name) for name in names}

    async def add_uri(
        self, uris: list[str], options: dict[str, Any] | None = None, position: int | None = None
    ) -> str:
        return await self._new.add(uris, options or {}, _place(position))

    async def add_torrent(
        self,
        content: str,
        uris: list[str] | None = None,
        options: dict[str, Any] | None = None,
        position: int | None = None,
    ) -> str:
        decoded = _decoded(content, "torrent")
        return await self._new.add(uris or [], options or {}, _place(position), decoded)

    async def add_metalink(
        self, content: str, options: dict[str, Any] | None = None, position: int | None = None
    ) -> list[str]:
        decoded = _decoded(content, "Metalink")
        return await self._new.add_metalink(decoded, options or {}, _place(position))

    async def remove(self, gid: str) -> str:
        return await self._aria2.remove(gid)

    async def force_remove(self, gid: str) -> str:
        return await self._aria2.remove(gid)

    async def pause(self, gid: str) -> str:
        return await self._aria2.pause(gid)

    async def force_pause(self, gid: str) -> str:
        return await self._aria2.pause(gid)

    async def pause_all(self) -> str:
        await self._aria2.pause_all()
        return OK

    async def force_pause_all(self) -> str:
        return await self.pause_all()

    async def unpause(self, gid: str) -> str:
        return await self._aria2.unpause(gid)

    async def unpause_all(self) -> str:
        await self._aria2.unpause_all()
        return OK

    async def tell_status(self, gid: str, keys: list[str] | None = None) -> dict[str, Any]:
        return status.only_keys(await self._aria2.status(gid), keys or ())

    async def tell_active(self, keys: list[str] | None = None) -> list[dict[str, Any]]:
        return await self._shown(await self._aria2.in_states(status.ACTIVE), keys)

    async def tell_waiting(
        self, offset: int, num: int, keys: list[str] | None = None
    ) -> list[dict[str, Any]]:
        ids = await self._aria2.in_states(status.WAITING)
        return await self._shown(_slice(ids, offset, num), keys)

    async def tell_stopped(
        self, offset: int, num: int, keys: list[str] | None = None
    ) -> list[dict[str, Any]]:
        removed = {str(each["gid"]): each for each in self._aria2.removed()}
        ids: list[int | str] = [*await self._aria2.in_states(status.STOPPED), *removed]
        chosen = _slice(ids, offset, num)
        shown: dict[int | str, dict[str, Any]] = dict(removed.items())
        for each in await self._aria2.read([id for id in chosen if isinstance(id, int)]):
            shown[each.download.id] = self._aria2.shown(each)
        return [status.only_keys(shown[id], keys or ()) for id in chosen if id in shown]

    async def _shown(self, ids: Sequence[int], keys: list[str] | None) -> list[dict[str, Any]]:
        found = await self._aria2.read(ids)
        return [status.only_keys(self._aria2.shown(each), keys or ()) for each in found]

    async def get_uris(self, gid: str) -> list[dict[str, str]]:
        return status.uris_of(await self._aria2.find(gid))

    async def get_files(self, gid: str) -> list[dict[str, Any]]:
        files: list[dict[str, Any]] = (await self._aria2.status(gid))["files"]
        return files

    async def get_peers(self, gid: str) -> list[dict[str, str]]:
        return await self._aria2.peers(gid)

    async def get_servers(self, gid: str) -> list[dict[str, Any]]:
        found = await self._aria2.find(gid)
        if found.download.status not in status.ACTIVE:
            raise RpcError(f"No active download for GID#{found.gid}")
        uri, speed = found.download.url, self._aria2.shown(found)["downloadSpeed"]
        server = {"uri": uri, "currentUri": uri, "downloadSpeed": speed}
        return [{"index": "1", "servers": [server]}]

    async def change_position(self, gid: str, pos: int, how: How) -> int:
        return await self._aria2.move(gid, pos, how)

    async def change_uri(
        self,
        gid: str,
        _file_index: int,
        del_uris: list[str],
        add_uris: list[str],
        position: int | None = None,
    ) -> list[int]:
        return await self._aria2.change_uris(gid, del_uris, add_uris, _place(position))

    async def get_option(self, gid: str) -> dict[str, Any]:
        return await self._options.download_options(gid)

    async def change_option(self, gid: str, options: dict[str, Any]) -> str:
        await self._options.change_download_options(gid, options)
        return OK

    async def get_global_option(self) -> dict[str, Any]:
        return await self._options.global_options()

    async def change_global_option(self, options: dict[str, Any]) -> str:
        await self._options.change_global_options(options)
        return OK

    async def get_global_stat(self) -> dict[str, str]:
        return await self._aria2.stats()

    async def purge_download_result(self) -> str:
        await self._aria2.forget_all()
        return OK

    async def remove_download_result(self, gid: str) -> str:
        await self._aria2.forget(gid)
        return OK

    async def get_version(self) -> dict[str, Any]:
        return {"version": VERSION, "enabledFeatures": FEATURES}

    async def get_session_info(self) -> dict[str, str]:
        return {"sessionId": self._aria2.session}

    async def shutdown(self) -> str:
        raise RpcError("The server cannot be stopped through this interface.")

    async def force_shutdown(self) -> str:
        return await self.shutdown()

    async def save_session(self) -> str:
        # Every change is stored at once.
        return OK


def _camel(name: str) -> str:
    first, *rest = name.split("_")
    return first + "".join(word.capitalize() for word in rest)


def _decoded(content: str, kind: str) -> bytes:
    try:
        return base64.b64decode(content)
    except (binascii.Error, ValueError):
        raise RpcError(f"The {kind} must be encoded as base64.") from None


def _place(given: int | None) -> int | None:
    if given is not None and given < 0:
        raise RpcError("The position must not be negative.")
    return given


def _slice(items: Sequence[Any], offset: int, num: int) -> list[Any]:
    """Return a part of the list; a negative offset counts from the end, in reverse order."""
    if num < 0:
        raise RpcError("Illegal argument.")
    if offset >= 0:
        return list(items[offset : offset + num])
    return list(reversed(items[: len(items) + offset + 1]))[:num] if -offset <= len(items) else []
