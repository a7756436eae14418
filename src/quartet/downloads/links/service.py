import asyncio
import logging
from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path
from typing import Any, NamedTuple, Protocol

from quartet.downloads.bittorrent import store as torrents
from quartet.downloads.bittorrent.client import TorrentClient
from quartet.downloads.bittorrent.file_rows import file_rows
from quartet.downloads.bittorrent.magnets import HOST_PREFIX, is_torrent_host, magnet_link
from quartet.downloads.bittorrent.trackers import trackers_of
from quartet.downloads.bittorrent.types import Metainfo
from quartet.downloads.events import Changed
from quartet.downloads.input_cleanup import clean_text, password_list, target_dir
from quartet.downloads.links import store
from quartet.downloads.links.naming import package_name
from quartet.downloads.links.parse import is_nzb, links_in
from quartet.downloads.links.types import (
    Added,
    AddedTorrent,
    LinkInfo,
    NewLinks,
    ParsedLink,
    UncheckedLink,
)
from quartet.downloads.packages.service import require_found, valid_id
from quartet.downloads.packages.store import exists
from quartet.downloads.request_headers import (
    RequestHeaders,
    request_headers,
    require_one_host,
    stored_headers,
)
from quartet.downloads.settings import DownloadsSettings
from quartet.kernel.clock import now_ms
from quartet.kernel.db import Tx
from quartet.kernel.errors import AppError
from quartet.kernel.files import safe_name
from quartet.kernel.service import Kernel

log = logging.getLogger("quartet.downloads.links")

LONGEST_NAME = 1000


# Adds the plugin id to each link.
Match = Callable[[Sequence[ParsedLink]], Awaitable[Sequence[ParsedLink]]]


async def all_plain(links: Sequence[ParsedLink]) -> Sequence[ParsedLink]:
    return links


async def _do_nothing(ids: Sequence[int]) -> None:
    pass


class PageOrigin(Protocol):
    """A page with links, which is itself a link of a package."""

    @property
    def package_id(self) -> int: ...
    @property
    def url(self) -> str: ...


class Links:
    """Adds links to the link grabber and the queue; the wake functions are thread-safe."""

    def __init__(
        self,
        kernel: Kernel[DownloadsSettings],
        wake_queue: Callable[[], None],
        wake_check: Callable[[], None],
        wake_crawl: Callable[[], None] = lambda: None,
        match: Match = all_plain,
        torrents: TorrentClient | None = None,
    ) -> None:
        self._db = kernel.db
        self._done = kernel.settings.done_folder
        self._wake_queue = wake_queue
        self._wake_check = wake_check
        self._wake_crawl = wake_crawl
        self._match = match
        self._torrents = torrents or TorrentClient()
        # Called with the links whose check has ended; applies the rules.
        self.on_checked: Callable[[Sequence[int]], Awaitable[None]] = _do_nothing

    async def add(self, given: NewLinks, then: Callable[[Tx, int], None] | None = None) -> Added:
        """Add a package, and one for each magnet link; `then` runs in the same transaction.

        Returns the first package.
        """
        added = await self.add_all([given], then=then)
        return Added(added[0].package_id, sum(each.duplicates for each in added))

    async def add_all(
        self,
        given: Sequence[NewLinks],
        also: Callable[[Tx], None] | None = None,
        then: Callable[[Tx, int], None] | None = None,
    ) -> list[Added]:
        """Add a package for each item, all or none.

        `also` runs before in the same transaction, and `then` after each package with its id.
        """
        packages = [package for each in given for package in await self._packages_of(each)]
        for package in packages:
            require_one_host(package.headers, (link.host for link in package.links))
        return await self._write(packages, also, then)

    async def inherited(self, page: PageOrigin) -> NewLinks:
        """Return what the links behind a link of a package take over from this package."""
        origin = await self._db.read(store.origin, page.package_id)
        if origin is None:
            raise AppError(404, "not_found", id=page.package_id)
        own_folder = not origin.auto_named or origin.target_dir != safe_name(origin.name)
        return NewLinks(
            links="",
            package_name=None if origin.auto_named else origin.name,
            target_dir=origin.target_dir if own_folder else None,
            start=not origin.collector,
            source_page=page.url,
        )

    async def add_from_page(self, page: PageOrigin, urls: Sequence[str]) -> None:
        """Add links that were found on a page of a package, to the same view."""
        collected = await self._db.read(store.is_collected, page.package_id)
        await self.add(
            NewLinks("\n".join(urls), start=not collected, source="page", source_page=page.url)
        )

    async def add_torrent(
        self,
        file: AddedTorrent,
        given: NewLinks,
        also: Callable[[Tx], None] | None = None,
        then: Callable[[Tx, int], None] | None = None,
    ) -> Added:
        """Add the package of a .torrent file; the links of `given` are ignored."""
        metainfo = await self._torrents.parse(file.content)
        url = magnet_link(metainfo.info_hash, metainfo.name)
        link = ParsedLink(url, HOST_PREFIX + metainfo.info_hash, safe_name(metainfo.name))
        package = _NewPackage(given, [link], RequestHeaders(), (file, metainfo))
        return (await self._write([package], also, then))[0]

    async def _write(
        self,
        packages: "Sequence[_NewPackage]",
        also: Callable[[Tx], None] | None,
        then: Callable[[Tx, int], None] | None,
    ) -> list[Added]:
        def work(tx: Tx) -> list[Added]:
            if also:
                also(tx)
            added = [self._add(tx, package) for package in packages]
            if then:
                for one in added:
                    then(tx, one.package_id)
            return added

        added = await self._db.write(work)
        for one, package in zip(added, packages, strict=True):
            kind = "torrent" if package.is_torrent else f"{len(package.links)} links"
            log.info("package %d added: %s", one.package_id, kind)
        return added

    async def _packages_of(self, given: NewLinks) -> "list[_NewPackage]":
        """Return the links as packages: one for plain links, and one for each magnet link."""
        if await asyncio.to_thread(is_nzb, given.links):
            raise AppError(422, "nzb_unsupported")
        links = await asyncio.to_thread(links_in, given.links)
        if not links:
            raise AppError(400, "no_links")
        plain = [link for link in links if not is_torrent_host(link.host)]
        magnets = [link for link in links if is_torrent_host(link.host)]
        packages = [_NewPackage(given, [link], RequestHeaders()) for link in magnets]
        if plain:
            matched = await self._match(plain)
            packages.insert(0, _NewPackage(given, matched, _request_headers(given)))
        return packages

    def _add(self, tx: Tx, package: "_NewPackage") -> Added:
        given, links = package.given, package.links
        if package.is_torrent:
            duplicates = store.known_torrents(tx.conn, links[0].host)
        else:
            duplicates = store.known_urls(tx.conn, [link.url for link in links])
        now = now_ms()
        package_id = store.add_package(tx.conn, _package(given, links, now, self._done))
        values = {**_download(given, now), "request_headers": stored_headers(package.headers)}
        if package.is_torrent:
            _add_torrent(tx, package_id, package, values)
        else:
            store.add_downloads(tx.conn, package_id, links, values)
        tx.emit(Changed("downloads"))
        tx.after_commit(self._wake_queue if given.start else self._wake_check)
        tx.after_commit(self._wake_crawl)
        return Added(package_id, duplicates)

    async def check(self, package_id: int) -> None:
        def work(tx: Tx) -> None:
            require_found(exists(tx.conn, valid_id(package_id)), id=package_id)
            store.request_check(tx.conn, package_id)
            tx.emit(Changed("downloads"))
            tx.after_commit(self._wake_check)

        await self._db.write(work)

    async def unchecked(self, limit: int) -> list[UncheckedLink]:
        return await self._db.read(store.unchecked, limit)

    async def checked(self, results: Sequence[tuple[int, LinkInfo]]) -> None:
        def work(tx: Tx) -> None:
            crawled = {id: result for id, result in results if result.folder or result.container}
            files = [(id, result) for id, result in results if id not in crawled]
            if any([store.store_check(tx.conn, id, result) for id, result in files]):
                tx.after_commit(self._wake_queue)
            for id, result in crawled.items():
                store.crawl(tx.conn, id, container=result.container)
                tx.after_commit(self._wake_crawl)
            tx.emit(Changed("downloads", downloads=[id for id, _ in results]))

        await self._db.write(work)
        await self.on_checked([id for id, _ in results])


class _NewPackage(NamedTuple):
    """A package to be added; a torrent has one link, and metainfo if it came as a file."""

    given: NewLinks
    links: Sequence[ParsedLink]
    headers: RequestHeaders
    torrent: tuple[AddedTorrent, Metainfo] | None = None

    @property
    def is_torrent(self) -> bool:
        return is_torrent_host(self.links[0].host)


def _add_torrent(tx: Tx, package_id: int, package: _NewPackage, values: dict[str, Any]) -> None:
    [link] = package.links
    info_hash = link.host.removeprefix(HOST_PREFIX)
    if package.torrent is None:
        # Checking a magnet link means to fetch its metadata.
        store.add_downloads(tx.conn, package_id, [link], values)
        torrents.add(
            tx.conn,
            package_id,
            info_hash=info_hash,
            magnet=link.url,
            trackers=trackers_of(link.url),
        )
        return
    file, found = package.torrent
    values = {**values, "check_wanted": False}
    rows = file_rows(found, link.url, values, file.selected)
    store.add_rows(tx.conn, package_id, rows)
    torrents.add(
        tx.conn,
        package_id,
        info_hash=info_hash,
        magnet=link.url,
        trackers=found.trackers,
        metainfo=file.content,
        private=found.private,
    )


def _request_headers(given: NewLinks) -> RequestHeaders:
    return request_headers(given.headers, given.cookies, given.referer, given.user_agent)


def _package(given: NewLinks, links: Sequence[ParsedLink], now: int, done: Path) -> dict[str, Any]:
    name_given = clean_text(given.package_name or "")[:LONGEST_NAME]
    name = name_given or package_name([link.name for link in links])
    password = given.download_password or given.password or ""
    return {
        "name": name,
        "auto_named": not name_given,
        "target_dir": target_dir(given.target_dir or "", done) or safe_name(name),
        "source": clean_text(given.source or "") or "manual",
        "source_page": clean_text(given.source_page or "") or None,
        "collector": not given.start,
        "passwords": _archive_passwords(given),
        "download_password": clean_text(password, keep_blanks=True) or None,
        "priority": 0,
        "speed_limit_kib": 0,
        "created_at": now,
    }


def _archive_passwords(given: NewLinks) -> list[str]:
    """Return the archive passwords, with the general password first."""
    own = password_list(given.passwords)
    return password_list([given.password, *own]) if given.password else own


def _download(given: NewLinks, now: int) -> dict[str, Any]:
    return {
        "status": "queued" if given.start else "collected",
        "online": "unknown",
        "check_wanted": not given.start,
        "bytes_done": 0,
        "attempts": 0,
        "priority": 0,
        "speed_limit_kib": 0,
        "created_at": now,
    }
