"""The crawler: replaces folder links with the links of their files."""

import time
from collections.abc import Callable, Collection
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
from quartet.downloads.hosters.plugin_types import Account, FileLink, Folder, Hash
from quartet.downloads.hosters.service import LinkOwner, Plugins
from quartet.downloads.hosters.store_folders import FolderLink, NewFile
from quartet.downloads.input_cleanup import clean_text
from quartet.downloads.links.parse import links_in
from quartet.downloads.links.types import ParsedLink
from quartet.downloads.queue.download_task import retry_delay
from quartet.downloads.transfer.hashes import check_hash
from quartet.kernel.db import Database, Tx
from quartet.kernel.errors import AppError, Problem

MOST_ATTEMPTS = 5
NO_HASH = (None, None)


class CrawlerAccounts(Protocol):
    async def for_plugin(self, plugin_id: str) -> list[Account]: ...

    async def mark_invalid(self, account_id: int, problem: Problem) -> None: ...


class Crawler:
    """`wake_queue` and `wake_check` may be called from any thread."""

    def __init__(
        self,
        db: Database,
        plugins: Plugins,
        calls: PluginCalls,
        accounts: CrawlerAccounts,
        wake_queue: Callable[[], None],
        wake_check: Callable[[], None],
    ) -> None:
        self._db = db
        self._plugins = plugins
        self._calls = calls
        self._accounts = accounts
        self._wakes = (wake_queue, wake_check)

    async def waiting(self, limit: int, without: Collection[int]) -> list[FolderLink]:
        return await self._db.read(store_folders.crawling, limit, list(without))

    async def crawl(self, link: FolderLink) -> None:
        try:
            plugin, folder = await self._call_plugin(link)
            files = await self._files(plugin, folder)
            if not files:
                raise Fatal(Problem("folder_empty"))
        except PluginError as error:
            await self._store_failure(link, error)
        else:
            await self._write(
                lambda tx: store_folders.expand(
                    tx.conn, link.id, files, clean_text(folder.name or "")
                )
            )

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
