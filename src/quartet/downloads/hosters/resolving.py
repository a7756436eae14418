"""From a link to the address of its file, right before it is fetched."""

import time
from collections.abc import Callable

from quartet.downloads.hosters import store, store_folders
from quartet.downloads.hosters.calls import Calls
from quartet.downloads.hosters.crawling import usable_hash
from quartet.downloads.hosters.errors import (
    AccountProblem,
    HosterLimit,
    Offline,
    PluginError,
    Temporary,
    Unsupported,
)
from quartet.downloads.hosters.limits import Limits
from quartet.downloads.hosters.plugin import Plugin
from quartet.downloads.hosters.service import Plugins
from quartet.downloads.hosters.shapes import File
from quartet.downloads.hosters.ways import Accounts, Way, Ways
from quartet.downloads.packages.typed import plain
from quartet.downloads.queue.run import Stopped
from quartet.downloads.queue.types import Claimed, Source, Unresolved
from quartet.downloads.transfer import CounterMode, Program
from quartet.kernel.db import Database, Tx
from quartet.kernel.errors import Problem


class _Limited(Unresolved):
    """Its hoster gives nothing for a while; another way may be open."""


class Resolving:
    """The wakes may be called from any thread."""

    def __init__(
        self,
        db: Database,
        plugins: Plugins,
        calls: Calls,
        accounts: Accounts,
        ways: Ways,
        limits: Limits,
        wake_crawl: Callable[[], None],
        wake_queue: Callable[[], None],
    ) -> None:
        self._db = db
        self._plugins = plugins
        self._calls = calls
        self._accounts = accounts
        self._ways = ways
        self._limits = limits
        self._wake_crawl = wake_crawl
        self._wake_queue = wake_queue

    async def __call__(self, item: Claimed) -> Source:
        own = await self._own(item)
        if own and own.is_folder(item.url):
            await self._crawl(item)
        blocked: Unresolved | None = None
        unfit: Unresolved | None = None
        async for way in self._ways.of(own, item.host):
            # Who has an account would rather wait or hear of it than be served without one.
            if blocked and way.account is None:
                break
            try:
                return await self._by(way, item)
            except _Limited as limit:
                blocked = limit
            except AccountProblem as error:
                blocked = blocked or Unresolved(_problem(error))
            except Unsupported as error:
                unfit = Unresolved(_problem(error))
        needed = Problem("account_needed", {"plugin": own.name if own else item.host})
        raise blocked or unfit or Unresolved(needed)

    async def _own(self, item: Claimed) -> Plugin | None:
        if item.plugin_id is None:
            return None
        plugin = await self._plugins.get(item.plugin_id)
        if plugin is None:
            raise Unresolved(Problem("plugin_gone", {"plugin": item.plugin_id}))
        return plugin

    async def _crawl(self, item: Claimed) -> None:
        """A folder that could not be looked into before; its files will come in its place."""
        await self._db.write(lambda tx: store_folders.crawl(tx.conn, item.id))
        self._wake_crawl()
        raise Stopped

    async def _by(self, way: Way, item: Claimed) -> Source:
        if way.plugin is None:
            return Source(item.url)
        if limit := self._limits.left(way.plugin.id):
            seconds, problem = limit
            raise _Limited(problem, seconds=seconds)
        try:
            return await self._ask(way, way.plugin, item)
        except AccountProblem as error:
            if way.account:
                await self._accounts.refused(way.account.id, _problem(error))
            raise
        except HosterLimit as error:
            await self._hold(way.plugin, error)
            raise _Limited(_problem(error), seconds=error.seconds) from None
        except Unsupported:
            raise
        except PluginError as error:
            raise _unresolved(error) from None

    async def _ask(self, way: Way, plugin: Plugin, item: Claimed) -> Source:
        password = await self._db.read(store.password_of, item.id)
        link = plugin.link(item.url, item.name)
        file, answer = await self._calls.resolve(plugin, link, way.account, password)
        if answer is not None:
            await self._db.write(lambda tx: store.remember_password(tx.conn, item.id, answer))
        return _source(file, plugin)

    async def _hold(self, plugin: Plugin, error: HosterLimit) -> None:
        seconds, problem = error.seconds or 0.0, _problem(error)
        self._limits.set(plugin.id, seconds, problem)
        until = int((time.time() + seconds) * 1000)

        def work(tx: Tx) -> None:
            store.hold(tx.conn, plugin.id, until, problem)
            tx.after_commit(self._wake_queue)

        await self._db.write(work)


def _source(file: File, plugin: Plugin) -> Source:
    hash_type, hash_value = usable_hash(file.hash)
    allowed = [each for each in (file.max_connections, plugin.declared.max_connections) if each]
    return Source(
        url=file.url,
        headers=file.headers,
        cookies=file.cookies,
        max_connections=min(allowed, default=None),
        name=plain(file.name or "") or None,
        size=file.size,
        hash_type=hash_type,
        hash_value=hash_value,
        cipher=CounterMode(file.decrypt.key, file.decrypt.nonce) if file.decrypt else None,
        program=Program(file.program.command, file.program.request) if file.program else None,
    )


def _problem(error: PluginError) -> Problem:
    return error.problem or Problem("internal")


def _unresolved(error: PluginError) -> Unresolved:
    passing = isinstance(error, Temporary)
    return Unresolved(
        _problem(error),
        retryable=passing,
        seconds=error.seconds if passing else None,
        offline=isinstance(error, Offline),
    )
