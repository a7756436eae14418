"""Resolves a link to the address of its file, right before it is fetched."""

import time
from collections.abc import Callable

from quartet.downloads.hosters import store, store_folders
from quartet.downloads.hosters.calls import OnWaiting, PluginCalls, ignore_waiting
from quartet.downloads.hosters.crawler import usable_hash
from quartet.downloads.hosters.errors import (
    AccountProblem,
    HosterLimit,
    Offline,
    PluginError,
    Temporary,
    Unsupported,
)
from quartet.downloads.hosters.fetch_options import FetchOption, FetchOptions, UsableAccounts
from quartet.downloads.hosters.hoster_limits import HosterLimits
from quartet.downloads.hosters.plugin import Plugin
from quartet.downloads.hosters.plugin_types import File
from quartet.downloads.hosters.service import Plugins
from quartet.downloads.input_cleanup import clean_text
from quartet.downloads.queue.types import ClaimedDownload, FileSource, ResolveError, TaskStopped
from quartet.downloads.server_logins.service import ServerLogins
from quartet.downloads.transfer import CounterMode, ExternalProgram
from quartet.kernel.db import Database, Tx
from quartet.kernel.errors import Problem


class _HosterLimited(ResolveError):
    """The hoster refuses downloads for some time; another option may work."""


class Resolver:
    """`wake_crawl` and `wake_queue` may be called from any thread."""

    def __init__(
        self,
        db: Database,
        plugins: Plugins,
        calls: PluginCalls,
        accounts: UsableAccounts,
        options: FetchOptions,
        limits: HosterLimits,
        logins: ServerLogins,
        wake_crawl: Callable[[], None],
        wake_queue: Callable[[], None],
    ) -> None:
        self._db = db
        self._plugins = plugins
        self._calls = calls
        self._accounts = accounts
        self._options = options
        self._limits = limits
        self._logins = logins
        self._wake_crawl = wake_crawl
        self._wake_queue = wake_queue

    async def __call__(
        self, item: ClaimedDownload, on_waiting: OnWaiting = ignore_waiting
    ) -> FileSource:
        own = await self._hoster_plugin(item)
        if item.crawl_depth is not None or (own and own.is_folder(item.url)):
            await self._crawl(item)
        blocked: ResolveError | None = None
        unsupported: ResolveError | None = None
        async for option in self._options.for_link(own, item.host):
            # With an account, waiting or an error is better than a download without the account.
            if blocked and option.account is None:
                break
            try:
                return await self._try_option(option, item, on_waiting)
            except _HosterLimited as limit:
                blocked = limit
            except AccountProblem as error:
                blocked = blocked or ResolveError(_problem(error))
            except Unsupported as error:
                unsupported = ResolveError(_problem(error))
        needed = Problem("account_needed", {"plugin": own.name if own else item.host})
        raise blocked or unsupported or ResolveError(needed)

    async def _hoster_plugin(self, item: ClaimedDownload) -> Plugin | None:
        if item.plugin_id is None:
            return None
        plugin = await self._plugins.get(item.plugin_id)
        if plugin is None:
            raise ResolveError(Problem("plugin_gone", {"plugin": item.plugin_id}))
        return plugin

    async def _crawl(self, item: ClaimedDownload) -> None:
        """Send a folder link back to the crawler, which could not read it before."""
        await self._db.write(lambda tx: store_folders.crawl(tx.conn, item.id))
        self._wake_crawl()
        raise TaskStopped

    async def _try_option(
        self, option: FetchOption, item: ClaimedDownload, on_waiting: OnWaiting
    ) -> FileSource:
        if option.plugin is None:
            mirrors = tuple(item.mirrors or ())
            logins = await self._logins.for_links([item.url, *mirrors])
            return FileSource(item.url, own=item.request_headers, mirrors=mirrors, logins=logins)
        if limit := self._limits.left(option.plugin.id):
            seconds, problem = limit
            raise _HosterLimited(problem, seconds=seconds)
        try:
            return await self._call_plugin(option, option.plugin, item, on_waiting)
        except AccountProblem as error:
            if option.account:
                await self._accounts.mark_invalid(option.account.id, _problem(error))
            raise
        except HosterLimit as error:
            await self._limit_hoster(option.plugin, error)
            raise _HosterLimited(_problem(error), seconds=error.seconds) from None
        except Unsupported:
            raise
        except PluginError as error:
            raise _resolve_error(error) from None

    async def _call_plugin(
        self, option: FetchOption, plugin: Plugin, item: ClaimedDownload, on_waiting: OnWaiting
    ) -> FileSource:
        password = await self._db.read(store.password_of, item.id)
        link = plugin.link(item.url, item.name)
        file, answer = await self._calls.resolve(plugin, link, option.account, password, on_waiting)
        if answer is not None:
            await self._db.write(lambda tx: store.remember_password(tx.conn, item.id, answer))
        return _source(file, plugin)

    async def _limit_hoster(self, plugin: Plugin, error: HosterLimit) -> None:
        seconds, problem = error.seconds or 0.0, _problem(error)
        self._limits.set(plugin.id, seconds, problem)
        until = int((time.time() + seconds) * 1000)

        def work(tx: Tx) -> None:
            store.postpone(tx.conn, plugin.id, until, problem)
            tx.after_commit(self._wake_queue)

        await self._db.write(work)


def _source(file: File, plugin: Plugin) -> FileSource:
    hash_type, hash_value = usable_hash(file.hash)
    allowed = [each for each in (file.max_connections, plugin.declared.max_connections) if each]
    return FileSource(
        url=file.url,
        headers=file.headers,
        cookies=file.cookies,
        max_connections=min(allowed, default=None),
        name=clean_text(file.name or "") or None,
        size=file.size,
        hash_type=hash_type,
        hash_value=hash_value,
        cipher=CounterMode(file.decrypt.key, file.decrypt.nonce) if file.decrypt else None,
        program=ExternalProgram(file.program.command, file.program.request)
        if file.program
        else None,
    )


def _problem(error: PluginError) -> Problem:
    return error.problem or Problem("internal")


def _resolve_error(error: PluginError) -> ResolveError:
    temporary = isinstance(error, Temporary)
    return ResolveError(
        _problem(error),
        retryable=temporary,
        seconds=error.seconds if temporary else None,
        offline=isinstance(error, Offline),
    )
