"""Adds the downloads of aria2 clients."""

from collections.abc import Sequence
from contextlib import suppress
from typing import Any, NamedTuple

from quartet.downloads.aria2 import options as mapping
from quartet.downloads.aria2 import store
from quartet.downloads.aria2.gids import gid_of, new_gid
from quartet.downloads.aria2.service import Aria2
from quartet.downloads.aria2.stored_options import StoredOptions
from quartet.downloads.aria2.types import Aria2Extras, NotWaiting, Options, RpcError
from quartet.downloads.bittorrent import store as torrents
from quartet.downloads.bittorrent.client import TorrentClient
from quartet.downloads.bittorrent.magnets import HOST_PREFIX, magnet_of, with_web_seeds
from quartet.downloads.containers.metalink import MetalinkFile, files_of_metalink
from quartet.downloads.links.service import Links
from quartet.downloads.links.types import AddedTorrent, NewLinks
from quartet.downloads.packages.store import is_host_in_queue
from quartet.downloads.queue.store import pause_package
from quartet.downloads.request_headers import stored_headers
from quartet.downloads.settings import DownloadsSettings
from quartet.kernel.db import Tx
from quartet.kernel.files import safe_name
from quartet.kernel.service import Kernel


class _NewTorrent(NamedTuple):
    info_hash: str
    name: str
    # Whether its files are in a folder with its name. The files of a magnet link are unknown.
    own_folder: bool = True


class NewDownloads:
    def __init__(
        self,
        kernel: Kernel[DownloadsSettings],
        aria2: Aria2,
        links: Links,
        stored: StoredOptions,
        client: TorrentClient,
    ) -> None:
        self._db = kernel.db
        self._done = kernel.settings.done_folder
        self._aria2 = aria2
        self._links = links
        self._stored = stored
        self._client = client

    async def add(
        self,
        uris: Sequence[str],
        given: Options,
        place: int | None = None,
        torrent: bytes | None = None,
        size: int | None = None,
    ) -> str:
        """Add one file, which all of these addresses lead to, or a .torrent; return its gid.

        The addresses of a .torrent are its web seeds.
        """
        if not uris and torrent is None:
            raise RpcError("No URI to download.")
        gid = new_gid(given["gid"]) if "gid" in given else None
        if gid and await self._db.read(store.download_id, gid) is not None:
            raise RpcError(f"GID {gid} is not unique.")
        options = mapping.text_options(given)
        values = await self._columns(options, uris)
        if torrent is None:
            values["mirrors"] = list(uris[1:]) or None
        if size is not None:
            values["size"] = size
        folder = self._folder(options, await self._new_torrent(uris, torrent))
        locked = self._stored.locked(mapping.stored_options(options))

        def complete(tx: Tx, package_id: int) -> None:
            id = store.siblings(tx.conn, package_id)[0]
            store.change(tx.conn, id, values)
            self._complete_torrent(tx, package_id, options, () if torrent is None else uris)
            if folder == "":
                store.use_done_folder(tx.conn, package_id)
            extras = Aria2Extras(gid or gid_of(id), locked)
            if options.get("pause") == "true":
                pause_package(tx.conn, package_id)
            store.put_extras(tx.conn, id, extras)

        links = "".join(uris[:1]) if torrent is None else ""
        new = NewLinks(links=links, target_dir=folder, start=True, source="aria2")
        if torrent is None:
            added = await self._links.add(new, complete)
        else:
            file = AddedTorrent(torrent, await self._selected(torrent, options))
            added = await self._links.add_torrent(file, new, then=complete)
        [first, *_] = await self._aria2.read(await self._db.read(store.siblings, added.package_id))
        if place is not None:
            # It may have started already.
            with suppress(NotWaiting):
                await self._aria2.move(first.gid, place, "POS_SET")
        return first.gid

    async def _columns(self, options: Options, uris: Sequence[str]) -> dict[str, Any]:
        """Return the columns of the download that its own and the general options stand for."""
        general = self._stored.unlocked(await self._db.read(store.global_options))
        headers = mapping.headers_in(
            {**mapping.request_options(general), **options}, "".join(uris[:1])
        )
        stored = {"request_headers": stored_headers(headers)}
        return mapping.download_values(options) | stored

    async def _new_torrent(
        self, uris: Sequence[str], content: bytes | None
    ) -> "_NewTorrent | None":
        """Return the torrent that is added, if it is one; raises an error if the queue has it."""
        if content is not None:
            parsed = await self._client.parse(content)
            found = _NewTorrent(parsed.info_hash, parsed.name, len(parsed.files) > 1)
        elif magnet := magnet_of(uris[0]) if uris[0].startswith("magnet:") else None:
            found = _NewTorrent(magnet.info_hash, magnet.name)
        else:
            return None
        if await self._db.read(is_host_in_queue, HOST_PREFIX + found.info_hash):
            raise RpcError(f"InfoHash {found.info_hash} is already registered.")
        return found

    def _folder(self, options: Options, torrent: "_NewTorrent | None") -> str | None:
        """Return the folder that a client asked for; None means a folder named by the package."""
        if "dir" not in options:
            return None
        folder = mapping.target_dir(self._done, options["dir"])
        if torrent and torrent.own_folder:
            return f"{folder}/{safe_name(torrent.name)}".strip("/")
        return folder

    def _complete_torrent(
        self, tx: Tx, package_id: int, options: Options, web_seeds: Sequence[str]
    ) -> None:
        """Store the options of a torrent; do nothing for other downloads."""
        values: dict[str, Any] = dict(mapping.share_limits(options))
        stored = torrents.torrent(tx.conn, package_id)
        if stored and web_seeds:
            values["magnet"] = with_web_seeds(stored.magnet, web_seeds)
        if stored and {"bt-tracker", "bt-exclude-tracker"} & options.keys():
            values["trackers"] = mapping.trackers(options, stored.trackers or ())
        if stored and values:
            torrents.change(tx.conn, package_id, **values)

    async def _selected(self, torrent: bytes, options: Options) -> frozenset[int] | None:
        """Return the indexes of the files that the option `select-file` selects."""
        if not options.get("select-file"):
            return None
        files = (await self._client.parse(torrent)).files
        numbers = mapping.file_numbers(options["select-file"])
        return frozenset(file.index for place, file in enumerate(files, 1) if place in numbers)

    async def add_metalink(
        self, content: bytes, given: Options, place: int | None = None
    ) -> list[str]:
        options = {name: value for name, value in given.items() if name != "gid"}
        return [
            await self.add(
                file.urls,
                {**options, **_metalink_options(file)},
                None if place is None else place + count,
                size=file.size,
            )
            for count, file in enumerate(files_of_metalink(content))
        ]


def _metalink_options(file: MetalinkFile) -> Options:
    """Return the options that a Metalink file sets for one of its files."""
    options: Options = {"out": file.name} if file.name else {}
    if file.hash_type:
        options["checksum"] = f"{mapping.HASH_NAMES[file.hash_type]}={file.hash_value}"
    return options
