"""By which plugin and account a link may be fetched, best first."""

from collections.abc import AsyncIterator
from typing import NamedTuple, Protocol

from quartet.downloads.hosters.domains import Domains
from quartet.downloads.hosters.plugin import Plugin
from quartet.downloads.hosters.service import Plugins
from quartet.downloads.hosters.shapes import Account
from quartet.kernel.errors import Problem


class UsableAccount(NamedTuple):
    plugin_id: str
    premium: bool | None
    account: Account


class Accounts(Protocol):
    async def usable(self) -> list[UsableAccount]:
        """The ones to be preferred first."""
        ...

    async def refused(self, account_id: int, problem: Problem) -> None: ...


class Way(NamedTuple):
    """Without a plugin the link is the address of its file."""

    plugin: Plugin | None = None
    account: Account | None = None


class Ways:
    def __init__(self, plugins: Plugins, accounts: Accounts, domains: Domains) -> None:
        self._plugins = plugins
        self._accounts = accounts
        self._domains = domains

    async def of(self, own: Plugin | None, host: str) -> AsyncIterator[Way]:
        """Its own hoster with an account, then multi-hosters, then without any account."""
        usable = await self._accounts.usable()
        for each in usable:
            if own and each.plugin_id == own.id:
                yield Way(own, each.account)
        if usable:
            for multi in await self._plugins.multis():
                async for way in self._through(multi, usable, host):
                    if multi is not own:
                        yield way
        if own is None or not own.declared.account_required:
            yield Way(own)

    async def _through(
        self, multi: Plugin, usable: list[UsableAccount], host: str
    ) -> AsyncIterator[Way]:
        for each in usable:
            # Free accounts of multi-hosters fetch nothing.
            if each.plugin_id != multi.id or each.premium is False:
                continue
            if await self._domains.supports(multi, each.account, host):
                yield Way(multi, each.account)
