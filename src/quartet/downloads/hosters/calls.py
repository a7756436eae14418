"""Runs one call of a plugin."""

import asyncio
from collections.abc import Callable
from contextlib import AsyncExitStack, suppress
from typing import Generic, NamedTuple, TypeVar

from quartet.downloads.hosters.call_timer import CallTimer
from quartet.downloads.hosters.context import Context, LoopBridge
from quartet.downloads.hosters.cookie_jars import GUEST, CookieJars
from quartet.downloads.hosters.plugin import Call, Plugin
from quartet.downloads.hosters.plugin_types import (
    Account,
    AccountState,
    Checked,
    File,
    Folder,
    Link,
)
from quartet.downloads.hosters.questions import QuestionContext, Questions
from quartet.downloads.hosters.results import check_result, to_plugin_error
from quartet.downloads.hosters.workers import CALL_SECONDS, Workers
from quartet.downloads.settings import DownloadsSettings
from quartet.kernel.service import Kernel

T = TypeVar("T")


class CallResult(NamedTuple, Generic[T]):
    value: T
    # The password the user entered during the call.
    password: str | None


# Called with True when a call begins to wait for the user, a countdown or another call, and with
# False when it continues.
OnWaiting = Callable[[bool], None]


def ignore_waiting(_waiting: bool) -> None:
    pass


class PluginCalls:
    """Calls plugins; every call returns a valid result or raises a plugin error."""

    def __init__(
        self,
        kernel: Kernel[DownloadsSettings],
        workers: Workers,
        cookie_jars: CookieJars,
        questions: Questions,
        seconds: float = CALL_SECONDS,
    ) -> None:
        self._kernel = kernel
        self._workers = workers
        self._cookie_jars = cookie_jars
        self._questions = questions
        self._seconds = seconds
        self._locks: dict[str, asyncio.Lock] = {}

    async def check(self, plugin: Plugin, link: Link) -> Checked:
        return (await self._run(plugin, "check", Checked, link=link)).value

    async def crawl(
        self, plugin: Plugin, link: Link, account: Account | None, password: str | None
    ) -> CallResult[Folder]:
        return await self._run(
            plugin, "crawl", Folder, link=link, account=account, password=password
        )

    async def resolve(
        self,
        plugin: Plugin,
        link: Link,
        account: Account | None,
        password: str | None,
        on_waiting: OnWaiting = ignore_waiting,
    ) -> CallResult[File]:
        """`on_waiting` is called when the call begins and stops to wait for the user or a timer."""
        return await self._run(
            plugin,
            "resolve",
            File,
            link=link,
            account=account,
            password=password,
            on_waiting=on_waiting,
        )

    async def check_account(self, plugin: Plugin, account: Account) -> AccountState:
        return (await self._run(plugin, "check_account", AccountState, account=account)).value

    async def supported(self, plugin: Plugin, account: Account) -> list[str]:
        return (await self._run(plugin, "supported", list[str], account=account)).value

    async def _run(
        self,
        plugin: Plugin,
        call: Call,
        kind: type[T],
        *,
        link: Link | None = None,
        account: Account | None = None,
        password: str | None = None,
        on_waiting: OnWaiting = ignore_waiting,
    ) -> CallResult[T]:
        async with AsyncExitStack() as stack:
            if plugin.declared.serial and account is None:
                lock = self._locks.setdefault(plugin.id, asyncio.Lock())
                await _enter(stack, lock, on_waiting)
            timer = CallTimer(self._seconds, _from_any_thread(on_waiting))
            context = await self._context(plugin, link, account, password, timer)
            method = getattr(plugin.hoster, call)
            given = () if link is None else (link,)

            async def job() -> T:
                return check_result(await method(*given, context), kind)

            try:
                value = await self._workers.run(plugin.id, job, timer)
            except Exception as error:  # noqa: BLE001 - plugins may raise anything
                raise to_plugin_error(plugin, error, context) from None
            finally:
                await self._cookie_jars.store(plugin.id, account.id if account else GUEST)
            return CallResult(value, context.entered_password)

    async def _context(
        self,
        plugin: Plugin,
        link: Link | None,
        account: Account | None,
        password: str | None,
        timer: CallTimer,
    ) -> Context:
        from quartet.downloads.hosters.browser import PluginBrowser

        asker = QuestionContext(
            plugin.id, plugin.name, link.url if link else "", link.name if link else ""
        )
        jar = await self._cookie_jars.get(plugin.id, account.id if account else GUEST)
        return Context(
            asker=asker,
            account=account,
            browser=PluginBrowser(self._kernel.outbound, jar),
            questions=self._questions,
            bridge=LoopBridge(asyncio.get_running_loop()),
            timer=timer,
            password=password,
            proxy=self._kernel.proxy.address,
            allow_private=self._kernel.allow_private,
        )


async def _enter(stack: AsyncExitStack, lock: asyncio.Lock, on_waiting: OnWaiting) -> None:
    """Acquire the lock; the call before this one may itself wait for the user."""
    if not lock.locked():
        await stack.enter_async_context(lock)
        return
    on_waiting(True)
    try:
        await stack.enter_async_context(lock)
    finally:
        on_waiting(False)


def _from_any_thread(on_waiting: OnWaiting) -> OnWaiting:
    loop = asyncio.get_running_loop()

    def tell(waiting: bool) -> None:
        # The server's loop may have been closed in the meantime.
        with suppress(RuntimeError):
            loop.call_soon_threadsafe(on_waiting, waiting)

    return tell
