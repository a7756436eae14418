"""The methods of the qBittorrent interface that read, by the path that clients call."""

from collections.abc import Sequence
from typing import Any

from quartet.downloads.qbittorrent import torrent
from quartet.downloads.qbittorrent.fields import Answer, Fields, Method, constant
from quartet.downloads.qbittorrent.service import Qbittorrent
from quartet.downloads.qbittorrent.types import Shown

# The version whose interface this is; clients check it for features.
VERSION = "v5.1.0"
API_VERSION = "2.11.4"
BUILD = {
    "bitness": 64,
    "boost": "",
    "libtorrent": "",
    "openssl": "",
    "platform": "linux",
    "qt": "",
    "zlib": "",
}


class ReadMethods:
    def __init__(self, qbittorrent: Qbittorrent) -> None:
        self._service = qbittorrent

    def methods(self) -> dict[str, Method]:
        return {
            "app/version": constant(VERSION),
            "app/webapiVersion": constant(API_VERSION),
            "app/buildInfo": constant(BUILD),
            "app/preferences": self._preferences,
            "app/defaultSavePath": self._default_folder,
            "app/networkInterfaceList": constant([]),
            "app/networkInterfaceAddressList": constant([]),
            "log/main": constant([]),
            "log/peers": constant([]),
            "sync/maindata": self._main_data,
            "sync/torrentPeers": self._peers,
            "transfer/info": self._transfer,
            "transfer/speedLimitsMode": constant("0"),
            "transfer/downloadLimit": self._global_limit,
            "transfer/uploadLimit": constant("0"),
            "torrents/info": self._torrents,
            "torrents/count": self._count,
            "torrents/properties": self._properties,
            "torrents/files": self._files,
            "torrents/trackers": self._trackers,
            "torrents/webseeds": self._addresses,
            "torrents/pieceStates": self._nothing_of,
            "torrents/pieceHashes": self._nothing_of,
            "torrents/categories": self._categories,
            "torrents/tags": self._tags,
            "torrents/downloadLimit": self._limits,
            "torrents/uploadLimit": self._upload_limits,
        }

    # Application and transfer

    async def _preferences(self, _fields: Fields) -> Answer:
        return await self._service.preferences()

    async def _default_folder(self, _fields: Fields) -> Answer:
        return self._service.default_folder

    async def _main_data(self, fields: Fields) -> Answer:
        return await self._service.main_data(fields.number("rid", 0))

    async def _peers(self, fields: Fields) -> Answer:
        peers = await self._service.sharing.peers(fields.required("hash"))
        return {"full_update": True, "peers": peers, "rid": fields.number("rid", 0) + 1}

    async def _transfer(self, _fields: Fields) -> Answer:
        return await self._service.transfer()

    async def _global_limit(self, _fields: Fields) -> Answer:
        return str((await self._service.transfer())["dl_rate_limit"])

    # Lists

    async def _torrents(self, fields: Fields) -> Answer:
        found = [each for each in await self._service.torrents() if _selected(each, fields)]
        if key := fields.text("sort"):
            found.sort(key=lambda each: _sort_key(each.get(key)))
        if fields.flag("reverse"):
            found.reverse()
        start = fields.number("offset", 0)
        found = found[start:] if abs(start) <= len(found) else []
        limit = fields.number("limit", 0)
        return found[:limit] if limit > 0 else found

    async def _count(self, _fields: Fields) -> Answer:
        return str(len(await self._service.torrents()))

    async def _properties(self, fields: Fields) -> Answer:
        return torrent.properties_of(await self._service.torrent(fields.required("hash")))

    async def _files(self, fields: Fields) -> Answer:
        found = await self._service.files(fields.required("hash"))
        if "indexes" not in fields.values:
            return found
        wanted = {each for each in fields.text("indexes").split("|") if each.isdecimal()}
        return [each for each in found if str(each["index"]) in wanted]

    async def _nothing_of(self, fields: Fields) -> Answer:
        await self._service.id_of(fields.required("hash"))
        return []

    async def _trackers(self, fields: Fields) -> Answer:
        return await self._service.sharing.trackers(fields.required("hash"))

    async def _addresses(self, fields: Fields) -> Answer:
        return [{"url": url} for url in await self._service.addresses(fields.required("hash"))]

    async def _categories(self, _fields: Fields) -> Answer:
        return await self._service.labels.categories()

    async def _tags(self, _fields: Fields) -> Answer:
        return await self._service.labels.tags()

    async def _limits(self, fields: Fields) -> Answer:
        return {each["hash"]: each["dl_limit"] for each in await self._chosen(fields)}

    async def _upload_limits(self, fields: Fields) -> Answer:
        return {each["hash"]: each["up_limit"] for each in await self._chosen(fields)}

    async def _chosen(self, fields: Fields) -> list[Shown]:
        fields.required("hashes")
        return [each for each in await self._service.torrents() if _has_hash(each, fields)]


def _selected(shown: Shown, fields: Fields) -> bool:
    """Return whether a torrent matches the filters of a request."""
    given = fields.values
    return (
        torrent.matches(shown, fields.text("filter", "all"))
        and ("category" not in given or shown["category"] == fields.text("category"))
        and ("tag" not in given or _has_tag(shown["tags"].split(", "), fields.text("tag")))
        and (not fields.text("hashes") or _has_hash(shown, fields))
    )


def _has_tag(tags: Sequence[str], wanted: str) -> bool:
    return wanted in tags if wanted else tags == [""]


def _has_hash(shown: Shown, fields: Fields) -> bool:
    hashes = fields.text("hashes").lower()
    return hashes == "all" or shown["hash"] in hashes.split("|")


def _sort_key(value: Any) -> tuple[bool, Any]:
    """Return a key for values of one field, some of which may be missing."""
    return (value is None, value.casefold() if isinstance(value, str) else value or 0)
