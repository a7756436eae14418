"""Refreshes media servers, only the changed folders where supported."""

from base64 import b64encode
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from quartet.kernel.errors import AppError
from quartet.media.notify.types import MediaServer
from quartet.media.roots.allowed_folders import is_within
from quartet.media.roots.path_map import PathMap

if TYPE_CHECKING:
    from quartet.kernel.outbound import OutboundClient, OutboundResponse

_SECONDS = 10.0


async def refresh(outbound: "OutboundClient", server: MediaServer, folders: Sequence[str]) -> None:
    """Refresh these folders, or the whole library if there are none."""
    path_map = PathMap.parse(server.path_map)
    theirs = [path_map.map_path(folder) for folder in folders]
    if server.kind == "plex":
        await _plex(outbound, server, theirs)
    elif server.kind == "kodi":
        await _kodi(outbound, server, theirs)
    else:
        await _jellyfin(outbound, server, theirs)


async def _jellyfin(
    outbound: "OutboundClient", server: MediaServer, folders: Sequence[str]
) -> None:
    """Emby has the same API with another authentication header."""
    headers = {"X-Emby-Token": server.token}
    if server.kind == "jellyfin":
        headers = {"Authorization": f'MediaBrowser Token="{server.token}"'}
    base = server.url.rstrip("/")
    if not folders:
        url, body = f"{base}/Library/Refresh", None
    else:
        url = f"{base}/Library/Media/Updated"
        updates = [{"Path": folder, "UpdateType": "Modified"} for folder in folders]
        body = {"Updates": updates}
    options: dict[str, Any] = {"json": body} if body else {}
    _check(await outbound.post(url, headers=headers, timeout=_SECONDS, **options), server)


async def _kodi(outbound: "OutboundClient", server: MediaServer, folders: Sequence[str]) -> None:
    """Kodi scans one folder per request; the slash tells it that this is a folder."""
    headers = {}
    if server.token:
        given = server.token if ":" in server.token else f"kodi:{server.token}"
        headers = {"Authorization": f"Basic {b64encode(given.encode()).decode()}"}
    requests: list[dict[str, Any]] = [{"directory": f"{folder}/"} for folder in folders]
    for params in requests or [{}]:
        body = {"jsonrpc": "2.0", "id": 1, "method": "VideoLibrary.Scan", "params": params}
        url = f"{server.url.rstrip('/')}/jsonrpc"
        answer = await outbound.post(url, json=body, headers=headers, timeout=_SECONDS)
        _check(answer, server)


async def _plex(outbound: "OutboundClient", server: MediaServer, folders: Sequence[str]) -> None:
    base = f"{server.url.rstrip('/')}/library/sections"
    headers = {"X-Plex-Token": server.token, "Accept": "application/json"}
    answer = await outbound.get(base, headers=headers, timeout=_SECONDS)
    _check(answer, server)
    requests: list[tuple[str, dict[str, str]]] = []
    for folder in folders:
        key = _section(answer.json(), folder)
        if key is None:
            requests = []
            break
        requests.append((f"{base}/{key}/refresh", {"path": folder}))
    for url, query in requests or [(f"{base}/all/refresh", {})]:
        again = await outbound.get(url, headers=headers, query=query, timeout=_SECONDS)
        _check(again, server)


def _section(listing: Any, folder: str) -> str | None:
    """Return the key of the library that contains this folder."""
    try:
        for section in listing["MediaContainer"]["Directory"]:
            for location in section["Location"]:
                if is_within(folder, location["path"]):
                    return str(section["key"])
    except (KeyError, TypeError):
        return None
    return None


def _check(answer: "OutboundResponse", server: MediaServer) -> None:
    if answer.status in (401, 403):
        raise AppError(502, "server_refused_token", kind=server.kind)
    if not answer.ok:
        raise AppError(502, "server_refused", kind=server.kind, status=answer.status)
