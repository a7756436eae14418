"""Adds links and .torrent files that qBittorrent clients send."""

import logging

from quartet.downloads.bittorrent import store as bittorrent_store
from quartet.downloads.bittorrent.client import TorrentClient
from quartet.downloads.bittorrent.magnets import HOST_PREFIX, is_torrent_host
from quartet.downloads.containers.detect import kind_of
from quartet.downloads.containers.service import LARGEST_FILE
from quartet.downloads.links.naming import package_name
from quartet.downloads.links.parse import links_in
from quartet.downloads.links.service import Links
from quartet.downloads.links.types import AddedTorrent, NewLinks
from quartet.downloads.packages.store import is_host_in_queue
from quartet.downloads.qbittorrent import store
from quartet.downloads.qbittorrent.hashes import hash_of
from quartet.downloads.qbittorrent.labels import clean_name
from quartet.downloads.qbittorrent.save_paths import relative_folder
from quartet.downloads.qbittorrent.types import (
    NewTorrents,
    StoredExtras,
)
from quartet.downloads.queue.store import pause_package
from quartet.downloads.settings import DownloadsSettings
from quartet.downloads.webpages.addresses import is_container_address, is_page_address
from quartet.kernel.db import Tx
from quartet.kernel.errors import AppError, RedirectedElsewhere
from quartet.kernel.files import safe_name
from quartet.kernel.service import Kernel

log = logging.getLogger("quartet.downloads.qbittorrent")

SOURCE = "qbittorrent"
# The client waits for the answer.
_TORRENT_SECONDS = 60.0


class TorrentAdder:
    def __init__(
        self, kernel: Kernel[DownloadsSettings], links: Links, client: TorrentClient
    ) -> None:
        self._kernel = kernel
        self._db = kernel.db
        self._done = kernel.settings.done_folder.absolute()
        self._links = links
        self._client = client

    async def add(self, given: NewTorrents) -> list[int]:
        """Add a package for each address and .torrent file; addresses all or none.

        Returns the ids of the packages.
        """
        category = clean_name(given.category)
        folders = await self._db.read(store.categories)
        folder = (
            relative_folder(self._done, given.save_path)
            if given.save_path
            else folders.get(category, "")
        )
        files, urls = list(given.files), []
        for url in given.urls:
            found = await self._read(url, given.cookies) if _may_be_torrent(url) else url
            urls.append(found) if isinstance(found, str) else files.append(found)
        urls = [url for url in urls if not await self._is_known(url)]
        files = [file for file in files if not await self._is_known(file)]
        if not urls and not files:
            raise AppError(409, "no_links")
        new = [self._new_links(url, folder, given) for url in urls]
        added: list[int] = []

        def complete(tx: Tx, package_id: int) -> None:
            if category and category not in store.categories(tx.conn):
                store.put_category(tx.conn, category, "")
            store.add_tags(tx.conn, given.tags)
            extras = StoredExtras(hash_of(package_id), category, given.tags)
            store.put_extras(tx.conn, package_id, extras)
            if given.limit_kib:
                store.change_package(tx.conn, package_id, {"speed_limit_kib": given.limit_kib})
            # Changes nothing for a package that is no torrent.
            limits = given.share_limits._asdict()
            bittorrent_store.change(tx.conn, package_id, sequential=given.sequential, **limits)
            if given.stopped:
                pause_package(tx.conn, package_id)
            added.append(package_id)

        for content in files:
            name = given.name or (await self._client.parse(content)).name
            package = self._new_package("", name, folder, given)
            await self._links.add_torrent(AddedTorrent(content), package, then=complete)
        if new:
            await self._links.add_all(new, then=complete)
        return added

    async def _is_known(self, given: str | bytes) -> bool:
        """Return whether the queue already has this torrent; qBittorrent does not add it again."""
        if isinstance(given, bytes):
            host = HOST_PREFIX + (await self._client.parse(given)).info_hash
        else:
            host = next((link.host for link in links_in(given)), "")
        return is_torrent_host(host) and await self._db.read(is_host_in_queue, host)

    def _new_links(self, url: str, folder: str, given: NewTorrents) -> NewLinks:
        links = links_in(url)
        if not links:
            raise AppError(400, "no_links")
        name = given.name or package_name([link.name for link in links])
        return self._new_package(url, name, folder, given)

    async def _read(self, url: str, cookies: str) -> str | bytes:
        """Return the .torrent file at an address, the magnet link to which it redirects, or the
        address itself if it leads to anything else.
        """
        own = {"Cookie": cookies} if cookies else {}
        try:
            async with self._kernel.outbound.stream(
                url, max_bytes=LARGEST_FILE, own_headers=own, body_seconds=_TORRENT_SECONDS
            ) as answer:
                body = b""
                async for piece in answer.chunks():
                    body += piece
                    if not body.startswith(b"d"):
                        break
                if answer.status == 200 and kind_of("", body) == "torrent":
                    return body
        except AppError as error:
            if isinstance(error, RedirectedElsewhere) and error.is_magnet:
                return error.location
            log.debug("a link of a client could not be read: %s", error)
        if is_container_address(url):
            raise AppError(409, "no_links")
        # The queue shows what is wrong with it.
        return url

    def _new_package(self, url: str, name: str, folder: str, given: NewTorrents) -> NewLinks:
        return NewLinks(
            links=url,
            package_name=given.name or None,
            target_dir=f"{folder}/{safe_name(name)}" if folder else None,
            cookies=given.cookies or None,
            start=True,
            source=SOURCE,
        )


def _may_be_torrent(url: str) -> bool:
    """Return whether the address may lead to a torrent, as addresses of indexers do."""
    return is_container_address(url) or is_page_address(url)
