"""One call of a plugin, from the server's side."""

import asyncio
from contextlib import AsyncExitStack
from typing import Generic, NamedTuple, TypeVar

from quartet.downloads.hosters.ask import About, Ask
from quartet.downloads.hosters.clock import Clock
from quartet.downloads.hosters.context import Context, Ferry
from quartet.downloads.hosters.jars import GUEST, Jars
from quartet.downloads.hosters.plugin import Call, Plugin
from quartet.downloads.hosters.shapes import (
    Account,
    AccountState,
    Checked,
    File,
    Folder,
    Link,
)
from quartet.downloads.hosters.verdicts import right, told
from quartet.downloads.hosters.workers import CALL_SECONDS, Workers
from quartet.downloads.settings import DownloadsSettings
from quartet.kernel.service import Kernel

T = TypeVar("T")


class Answered(NamedTuple, Generic[T]):
    value: T
    # The password a person gave on the way.
    password: str | None


class Calls:
    """Whatever a plugin does, each call ends with an answer of the right kind or a plugin error."""

    def __init__(
        self,
        kernel: Kernel[DownloadsSettings],
        workers: Workers,
        jars: Jars,
        ask: Ask,
        seconds: float = CALL_SECONDS,
    ) -> None:
        self._kernel = kernel
        self._workers = workers
        self._jars = jars
        self._ask = ask
        self._seconds = seconds
        self._turns: dict[str, asyncio.Lock] = {}

    async def check(self, plugin: Plugin, link: Link) -> Checked:
        return (await self._run(plugin, "check", Checked, link=link)).value

    async def crawl(
        self, plugin: Plugin, link: Link, account: Account | None, password: str | None
    ) -> Answered[Folder]:
        return await self._run(
            plugin, "crawl", Folder, link=link, account=account, password=password
        )

    async def resolve(
        self, plugin: Plugin, link: Link, account: Account | None, password: str | None
    ) -> Answered[File]:
        return await self._run(
            plugin, "resolve", File, link=link, account=account, password=password
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
    ) -> Answered[T]:
        async with AsyncExitStack() as stack:
            if plugin.declared.serial and account is None:
                turn = self._turns.setdefault(plugin.id, asyncio.Lock())
                await stack.enter_async_context(turn)
            clock = Clock(self._seconds)
            context = await self._context(plugin, link, account, password, clock)
            method = getattr(plugin.hoster, call)
            given = () if link is None else (link,)

            async def job() -> T:
                return right(await method(*given, context), kind)

            try:
                value = await self._workers.run(plugin.id, job, clock)
            except Exception as error:  # noqa: BLE001 - whatever foreign code raises
                raise told(plugin, error, context) from None
            finally:
                await self._jars.keep(plugin.id, account.id if account else GUEST)
            return Answered(value, context.answered)

    async def _context(
        self,
        plugin: Plugin,
        link: Link | None,
        account: Account | None,
        password: str | None,
        clock: Clock,
    ) -> Context:
        from quartet.downloads.hosters.browser import PluginBrowser

        about = About(plugin.id, plugin.name, link.url if link else "", link.name if link else "")
        jar = await self._jars.get(plugin.id, account.id if account else GUEST)
        return Context(
            about=about,
            account=account,
            browser=PluginBrowser(self._kernel.outbound, jar),
            ask=self._ask,
            ferry=Ferry(asyncio.get_running_loop()),
            clock=clock,
            password=password,
            proxy=self._kernel.proxy.address,
        )
