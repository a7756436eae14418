"""The crawler: replaces folder links with the links of their files."""

import logging
import time
from collections.abc import Awaitable, Callable, Collection, Sequence
from typing import Protocol

from quartet.downloads.bittorrent.magnets import is_torrent_host
from quartet.downloads.events import Changed
from quartet.downloads.hosters import store, store_folders
from quartet.downloads.hosters.calls import PluginCalls
from quartet.downloads.hosters.errors import (
    AccountProblem,
    Fatal,
    HosterLimit,
    Offline,
    PluginError,
    Temporary,
)
from quartet.downloads.hosters.plugin import Plugin
from quartet.downloads.hosters.plugin_types import MOST_FILES, Account, FileLink, Folder, Hash
from quartet.downloads.hosters.service import LinkOwner, Plugins
from quartet.downloads.hosters.store_folders import FolderLink, NewFile
from quartet.downloads.hosters.web_pages import WebPages
from quartet.downloads.input_cleanup import clean_text
from quartet.downloads.links.parse import links_in
from quartet.downloads.links.types import ParsedLink
from quartet.downloads.packages.service import require_found
from quartet.downloads.packages.types import CONTAINER
from quartet.downloads.queue.failures import retry_delay
from quartet.downloads.transfer.hashes import check_hash
from quartet.downloads.webpages.addresses import is_container_address
from quartet.downloads.webpages.types import AUTOMATIC, CrawlPages, FoundLink, NotAPage
from quartet.kernel.db import Database, Tx
from quartet.kernel.errors import AppError, Problem, problem_of

log = logging.getLogger("quartet.downloads.crawler")

MOST_ATTEMPTS = 5
NO_HASH = (None, None)

AddContainer = Callable[[FolderLink, bytes, Callable[[Tx], None]], Awaitable[object]]


class CrawlerAccounts(Protocol):
    async def for_plugin(self, plugin_id: str) -> list[Account]: ...

    async def mark_invalid(self, account_id: int, problem: Problem) -> None: ...


class Crawler:
    """The wake functions may be called from any thread."""

    def __init__(
        self,
        db: Database,
        plugins: Plugins,
        calls: PluginCalls,
        accounts: CrawlerAccounts,
        pages: WebPages,
        wake_queue: Callable[[], None],
        wake_check: Callable[[], None],
        wake_crawl: Callable[[], None],
    ) -> None:
        self._db = db
        self._plugins = plugins
        self._pages = pages
        self._calls = calls
        self._accounts = accounts
        self._wakes = (wake_queue, wake_check)
        self._wake_crawl = wake_crawl
        # Called with a file of each package that was filled; applies the rules.
        self.on_crawled: Callable[[Sequence[int]], Awaitable[None]] = _do_nothing
        # Adds the packages of the container file behind a link; the last argument runs in the same
        # transaction.
        self.add_container: AddContainer = _add_no_container
        # Adds the magnet links of a page.
        self.add_magnets: Callable[[FolderLink, Sequence[str]], Awaitable[None]] = _add_nothing

    async def waiting(self, limit: int, without: Collection[int]) -> list[FolderLink]:
        return await self._db.read(store_folders.crawling, limit, list(without))

    async def search(self, given: CrawlPages) -> None:
        """Search pages of the link grabber for links."""

        def work(tx: Tx) -> None:
            count = store_folders.search_pages(tx.conn, given.download_ids, given.depth)
            require_found(count > 0, ids=given.download_ids[:100])
            tx.after_commit(self._wake_crawl)

        await self._write(work)
        log.info("pages are searched for links, depth %d", given.depth)

    async def crawl(self, link: FolderLink) -> None:
        magnets: list[str] = []
        try:
            if link.crawl_depth == CONTAINER or (
                link.crawl_depth == AUTOMATIC and is_container_address(link.url)
            ):
                await self._open_container(link)
                return
            if link.crawl_depth is None:
                plugin, folder = await self._call_plugin(link)
                files, name = await self._files(plugin, folder), folder.name or ""
            else:
                files, magnets, name = await self._page_files(link)
            if not files and not magnets:
                is_folder = link.crawl_depth is None
                raise Fatal(Problem("folder_empty") if is_folder else Problem("page_without_links"))
        except NotAPage:
            await self._write(
                lambda tx: store_folders.treat_as_file(tx.conn, link.id, link.package_id)
            )
        except PluginError as error:
            await self._store_failure(link, error)
        except AppError:
            raise
        except Exception:
            # An unexpected answer must not stop the reading of all other links.
            log.exception("link %d could not be read", link.id)
            await self._store_failure(link, Fatal(Problem("internal")))
        else:
            await self._replace(link, files, magnets, clean_text(name))

    async def _open_container(self, link: FolderLink) -> None:
        content = await self._pages.container(link.url, link.request_headers)

        def replace(tx: Tx) -> None:
            require_found(store_folders.remove(tx.conn, link.id), id=link.id)

        try:
            await self.add_container(link, content, replace)
        except AppError as error:
            raise Fatal(problem_of(error)) from None

    async def _replace(
        self, link: FolderLink, files: Sequence[NewFile], magnets: Sequence[str], name: str
    ) -> None:
        if magnets:
            await self.add_magnets(link, magnets)
        filled: list[int] = []

        def work(tx: Tx) -> None:
            if files:
                filled.extend(store_folders.expand(tx.conn, link.id, files, name))
            else:
                store_folders.remove(tx.conn, link.id)

        await self._write(work)
        await self.on_crawled(filled)

    async def _page_files(self, link: FolderLink) -> tuple[list[NewFile], list[str], str]:
        """Return the files on a web page, and its magnet links."""
        found = await self._pages.links(link.url, link.crawl_depth or 0, link.request_headers)
        magnets = [each.url for each in found.links if each.url.startswith("magnet:")]
        urls = {each.url: each for each in found.links}
        urls |= {url: FoundLink(url) for url in found.others if url not in urls}
        usable = [(each, one) for each in urls.values() for one in link_of(each.url)]
        owners = await self._plugins.owners([each.url for each, _ in usable])
        others = set(found.others) - {each.url for each in found.links}
        files = [
            new_file(FileLink(each.url, each.name, each.size), one, owner)._replace(
                path=each.folder
            )
            for (each, one), owner in zip(usable, owners, strict=True)
            if owner.plugin_id is not None or each.url not in others
        ]
        return files[:MOST_FILES], magnets, found.name

    async def _call_plugin(self, link: FolderLink) -> tuple[Plugin, Folder]:
        plugin = await self._plugins.get(link.plugin_id or "")
        if plugin is None:
            raise Fatal(Problem("plugin_gone", {"plugin": link.plugin_id}))
        account = next(iter(await self._accounts.for_plugin(plugin.id)), None)
        password = await self._db.read(store.password_of, link.id)
        asked = plugin.link(link.url, link.name)
        try:
            folder, answer = await self._calls.crawl(plugin, asked, account, password)
        except AccountProblem as error:
            if account:
                await self._accounts.mark_invalid(account.id, error.problem or Problem("internal"))
            raise
        if answer is not None:
            await self._db.write(lambda tx: store.remember_password(tx.conn, link.id, answer))
        return plugin, folder

    async def _files(self, plugin: Plugin, folder: Folder) -> list[NewFile]:
        """Return each file once.

        Folders of the same plugin are skipped: it must return the files of subfolders itself, or
        crawling might never end.
        """
        found = {file.url: (file, link) for file in folder.files for link in link_of(file.url)}
        owners = await self._plugins.owners(list(found))
        own = LinkOwner(plugin.id, folder=True)
        return [
            new_file(file, link, owner)
            for (file, link), owner in zip(found.values(), owners, strict=True)
            if owner != own
        ]

    async def _store_failure(self, link: FolderLink, error: PluginError) -> None:
        problem = error.problem or Problem("internal")

        def work(tx: Tx) -> None:
            if not store_folders.is_started(tx.conn, link.package_id):
                online = {"online": "offline"} if isinstance(error, Offline) else {}
                store_folders.store_error(tx.conn, link.id, "return", problem, **online)
            elif _should_retry(link, error):
                attempts = link.attempts + (error.seconds is None)
                wait = retry_delay(attempts) if error.seconds is None else error.seconds
                retry_at = int((time.time() + wait) * 1000)
                later = {"attempts": attempts, "retry_at": retry_at}
                store_folders.store_error(tx.conn, link.id, "crawl_later", problem, **later)
            else:
                store_folders.store_error(tx.conn, link.id, "crawl_failed", problem)

        await self._write(work)

    async def _write(self, work: Callable[[Tx], object]) -> None:
        def emit_after(tx: Tx) -> None:
            work(tx)
            tx.emit(Changed("downloads"))
            for wake in self._wakes:
                tx.after_commit(wake)

        await self._db.write(emit_after)


async def _do_nothing(ids: Sequence[int]) -> None:
    pass


async def _add_no_container(link: FolderLink, content: bytes, also: Callable[[Tx], None]) -> None:
    pass


async def _add_nothing(link: FolderLink, magnets: Sequence[str]) -> None:
    pass


def _should_retry(link: FolderLink, error: PluginError) -> bool:
    return isinstance(error, Temporary | HosterLimit) and link.attempts < MOST_ATTEMPTS


def link_of(url: str) -> list[ParsedLink]:
    """Return the parsed link in a list, or an empty list if it is not a valid link."""
    links = [link for link in links_in(url) if not is_torrent_host(link.host)]
    return links if [link.url for link in links] == [url] else []


def new_file(file: FileLink, link: ParsedLink, owner: LinkOwner) -> NewFile:
    hash_type, hash_value = usable_hash(file.hash)
    return NewFile(
        url=file.url,
        host=link.host,
        name=clean_text(file.name or "") or link.name,
        plugin_id=owner.plugin_id,
        folder=owner.folder,
        size=file.size,
        hash_type=hash_type,
        hash_value=hash_value,
        known=bool(file.name) and file.size is not None,
    )


def usable_hash(hash: Hash | None) -> tuple[str | None, str | None]:
    """Return kind and value, or two Nones if the hash is malformed."""
    try:
        return (hash.kind, check_hash(hash.kind, hash.value)) if hash else NO_HASH
    except AppError:
        return NO_HASH
