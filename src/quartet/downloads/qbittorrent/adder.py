"""Adds links and .torrent files that qBittorrent clients send."""

from quartet.downloads.bittorrent import store as bittorrent_store
from quartet.downloads.bittorrent.client import TorrentClient
from quartet.downloads.containers.service import LARGEST_FILE
from quartet.downloads.links.naming import package_name
from quartet.downloads.links.parse import links_in
from quartet.downloads.links.service import Links
from quartet.downloads.links.types import AddedTorrent, NewLinks
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
from quartet.kernel.db import Tx
from quartet.kernel.errors import AppError
from quartet.kernel.files import safe_name
from quartet.kernel.service import Kernel

SOURCE = "qbittorrent"


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
        files = [*given.files, *[await self._fetch(url) for url in given.urls if _is_file(url)]]
        urls = [url for url in given.urls if not _is_file(url)]
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

    def _new_links(self, url: str, folder: str, given: NewTorrents) -> NewLinks:
        links = links_in(url)
        if not links:
            raise AppError(400, "no_links")
        name = given.name or package_name([link.name for link in links])
        return self._new_package(url, name, folder, given)

    async def _fetch(self, url: str) -> bytes:
        """Return the .torrent file at an address."""
        async with self._kernel.outbound.stream(url, max_bytes=LARGEST_FILE) as answer:
            if answer.status != 200:
                raise AppError(409, "no_links")
            return b"".join([piece async for piece in answer.chunks()])

    def _new_package(self, url: str, name: str, folder: str, given: NewTorrents) -> NewLinks:
        return NewLinks(
            links=url,
            package_name=given.name or None,
            target_dir=f"{folder}/{safe_name(name)}" if folder else None,
            cookies=given.cookies or None,
            start=True,
            source=SOURCE,
        )


def _is_file(url: str) -> bool:
    """Return whether an address is that of a .torrent file."""
    path = url.lower().partition("?")[0].partition("#")[0]
    return path.startswith(("http://", "https://")) and path.endswith(".torrent")
