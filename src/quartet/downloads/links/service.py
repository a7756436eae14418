import asyncio
from collections.abc import Awaitable, Callable, Sequence
from typing import Any

from quartet.downloads.events import Changed
from quartet.downloads.links import store
from quartet.downloads.links.naming import package_name
from quartet.downloads.links.parse import links_in
from quartet.downloads.links.types import Added, Found, Link, NewLinks, Unchecked
from quartet.downloads.packages.service import fits, found
from quartet.downloads.packages.store import exists
from quartet.downloads.packages.typed import password_list, plain, target_dir
from quartet.downloads.settings import DownloadsSettings
from quartet.kernel.clock import now_ms
from quartet.kernel.db import Tx
from quartet.kernel.errors import AppError
from quartet.kernel.files import safe_name
from quartet.kernel.service import Kernel

LONGEST_NAME = 1000


# Says which plugin each link belongs to.
Match = Callable[[Sequence[Link]], Awaitable[Sequence[Link]]]


async def all_plain(links: Sequence[Link]) -> Sequence[Link]:
    return links


class Links:
    """The wakes may be called from any thread."""

    def __init__(
        self,
        kernel: Kernel[DownloadsSettings],
        wake_queue: Callable[[], None],
        wake_check: Callable[[], None],
        wake_crawl: Callable[[], None] = lambda: None,
        match: Match = all_plain,
    ) -> None:
        self._db = kernel.db
        self._wake_queue = wake_queue
        self._wake_check = wake_check
        self._wake_crawl = wake_crawl
        self._match = match

    async def add(self, given: NewLinks) -> Added:
        return (await self.add_all([given]))[0]

    async def add_all(
        self, given: Sequence[NewLinks], also: Callable[[Tx], None] | None = None
    ) -> list[Added]:
        """A package for each, all or none; `also` is written together with them."""
        packages = [(each, await self._links_of(each)) for each in given]

        def work(tx: Tx) -> list[Added]:
            if also:
                also(tx)
            return [self._add(tx, each, links) for each, links in packages]

        return await self._db.write(work)

    async def _links_of(self, given: NewLinks) -> Sequence[Link]:
        plain_links = await asyncio.to_thread(links_in, given.links)
        if not plain_links:
            raise AppError(400, "no_links")
        return await self._match(plain_links)

    def _add(self, tx: Tx, given: NewLinks, links: Sequence[Link]) -> Added:
        duplicates = store.known_urls(tx.conn, [link.url for link in links])
        now = now_ms()
        package_id = store.add_package(tx.conn, _package(given, links, now))
        store.add_downloads(tx.conn, package_id, links, _download(given, now))
        tx.emit(Changed("downloads"))
        tx.after_commit(self._wake_queue if given.start else self._wake_check)
        tx.after_commit(self._wake_crawl)
        return Added(package_id, duplicates)

    async def check(self, package_id: int) -> None:
        def work(tx: Tx) -> None:
            found(exists(tx.conn, fits(package_id)), id=package_id)
            store.want_check(tx.conn, package_id)
            tx.emit(Changed("downloads"))
            tx.after_commit(self._wake_check)

        await self._db.write(work)

    async def unchecked(self, limit: int) -> list[Unchecked]:
        return await self._db.read(store.unchecked, limit)

    async def checked(self, results: Sequence[tuple[int, Found]]) -> None:
        def work(tx: Tx) -> None:
            files = [(id, result) for id, result in results if not result.folder]
            if any([store.checked(tx.conn, id, result) for id, result in files]):
                tx.after_commit(self._wake_queue)
            for folder in {id for id, result in results if result.folder}:
                store.crawl(tx.conn, folder)
                tx.after_commit(self._wake_crawl)
            tx.emit(Changed("downloads"))

        await self._db.write(work)


def _package(given: NewLinks, links: Sequence[Link], now: int) -> dict[str, Any]:
    typed = plain(given.package_name or "")[:LONGEST_NAME]
    name = typed or package_name([link.name for link in links])
    password = given.download_password or given.password or ""
    return {
        "name": name,
        "auto_named": not typed,
        "target_dir": target_dir(given.target_dir or "") or safe_name(name),
        "source": plain(given.source or "") or "manual",
        "source_page": plain(given.source_page or "") or None,
        "collector": not given.start,
        "passwords": _archive_passwords(given),
        "download_password": plain(password, keep_blanks=True) or None,
        "priority": 0,
        "speed_limit_kib": 0,
        "created_at": now,
    }


def _archive_passwords(given: NewLinks) -> list[str]:
    """The one password comes first, and the ones given on their own after it."""
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
