"""Turns links of folders into links of files."""

import time
from collections.abc import Callable, Collection
from typing import Protocol

from quartet.downloads.events import Changed
from quartet.downloads.hosters import store, store_folders
from quartet.downloads.hosters.calls import Calls
from quartet.downloads.hosters.errors import (
    AccountProblem,
    Fatal,
    HosterLimit,
    Offline,
    PluginError,
    Temporary,
)
from quartet.downloads.hosters.plugin import Plugin
from quartet.downloads.hosters.service import Owner, Plugins
from quartet.downloads.hosters.shapes import Account, FileLink, Folder, Hash
from quartet.downloads.hosters.store_folders import FolderLink, NewFile
from quartet.downloads.links.parse import links_in
from quartet.downloads.links.types import Link
from quartet.downloads.packages.typed import plain
from quartet.downloads.queue.backoff import seconds_until
from quartet.downloads.transfer.hashes import check_hash
from quartet.kernel.db import Database, Tx
from quartet.kernel.errors import AppError, Problem

MOST_ATTEMPTS = 5
NO_HASH = (None, None)


class Accounts(Protocol):
    async def of(self, plugin_id: str) -> list[Account]: ...

    async def refused(self, account_id: int, problem: Problem) -> None: ...


class Crawling:
    """`wake_queue` and `wake_check` may be called from any thread."""

    def __init__(
        self,
        db: Database,
        plugins: Plugins,
        calls: Calls,
        accounts: Accounts,
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
            plugin, folder = await self._look(link)
            files = await self._files(plugin, folder)
            if not files:
                raise Fatal(Problem("folder_empty"))
        except PluginError as error:
            await self._failed(link, error)
        else:
            await self._write(
                lambda tx: store_folders.expand(tx.conn, link.id, files, plain(folder.name or ""))
            )

    async def _look(self, link: FolderLink) -> tuple[Plugin, Folder]:
        plugin = await self._plugins.get(link.plugin_id or "")
        if plugin is None:
            raise Fatal(Problem("plugin_gone", {"plugin": link.plugin_id}))
        account = next(iter(await self._accounts.of(plugin.id)), None)
        password = await self._db.read(store.password_of, link.id)
        asked = plugin.link(link.url, link.name)
        try:
            folder, answer = await self._calls.crawl(plugin, asked, account, password)
        except AccountProblem as error:
            if account:
                await self._accounts.refused(account.id, error.problem or Problem("internal"))
            raise
        if answer is not None:
            await self._db.write(lambda tx: store.remember_password(tx.conn, link.id, answer))
        return plugin, folder

    async def _files(self, plugin: Plugin, folder: Folder) -> list[NewFile]:
        """Each once. Folders in a folder are for its plugin to look into, or this had no end."""
        found = {file.url: (file, link) for file in folder.files for link in link_of(file.url)}
        owners = await self._plugins.owners(list(found))
        own = Owner(plugin.id, folder=True)
        return [
            new_file(file, link, owner)
            for (file, link), owner in zip(found.values(), owners, strict=True)
            if owner != own
        ]

    async def _failed(self, link: FolderLink, error: PluginError) -> None:
        problem = error.problem or Problem("internal")

        def work(tx: Tx) -> None:
            if not store_folders.is_started(tx.conn, link.package_id):
                online = {"online": "offline"} if isinstance(error, Offline) else {}
                store_folders.give_up(tx.conn, link.id, "return", problem, **online)
            elif _again(link, error):
                attempts = link.attempts + (error.seconds is None)
                wait = seconds_until(attempts) if error.seconds is None else error.seconds
                retry_at = int((time.time() + wait) * 1000)
                later = {"attempts": attempts, "retry_at": retry_at}
                store_folders.give_up(tx.conn, link.id, "crawl_later", problem, **later)
            else:
                store_folders.give_up(tx.conn, link.id, "crawl_failed", problem)

        await self._write(work)

    async def _write(self, work: Callable[[Tx], object]) -> None:
        def with_news(tx: Tx) -> None:
            work(tx)
            tx.emit(Changed("downloads"))
            for wake in self._wakes:
                tx.after_commit(wake)

        await self._db.write(with_news)


def _again(link: FolderLink, error: PluginError) -> bool:
    return isinstance(error, Temporary | HosterLimit) and link.attempts < MOST_ATTEMPTS


def link_of(url: str) -> list[Link]:
    """Empty for what is no link."""
    links = links_in(url)
    return links if [link.url for link in links] == [url] else []


def new_file(file: FileLink, link: Link, owner: Owner) -> NewFile:
    hash_type, hash_value = usable_hash(file.hash)
    return NewFile(
        url=file.url,
        host=link.host,
        name=plain(file.name or "") or link.name,
        plugin_id=owner.plugin_id,
        folder=owner.folder,
        size=file.size,
        hash_type=hash_type,
        hash_value=hash_value,
        known=bool(file.name) and file.size is not None,
    )


def usable_hash(promised: Hash | None) -> tuple[str | None, str | None]:
    """Kind and value, or neither: what can never be right promises nothing."""
    try:
        return (promised.kind, check_hash(promised.kind, promised.value)) if promised else NO_HASH
    except AppError:
        return NO_HASH
