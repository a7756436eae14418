"""Finds the plugins and accounts that can fetch a link, best first."""

from collections.abc import AsyncIterator
from typing import NamedTuple, Protocol

from quartet.downloads.hosters.plugin import Plugin
from quartet.downloads.hosters.plugin_types import Account
from quartet.downloads.hosters.service import Plugins
from quartet.downloads.hosters.supported_domains import SupportedDomains
from quartet.kernel.errors import Problem


class UsableAccount(NamedTuple):
    plugin_id: str
    premium: bool | None
    account: Account


class UsableAccounts(Protocol):
    async def usable(self) -> list[UsableAccount]:
        """Return the usable accounts, preferred ones first."""
        ...

    async def mark_invalid(self, account_id: int, problem: Problem) -> None: ...


class FetchOption(NamedTuple):
    """Without a plugin, the link is the address of its file."""

    plugin: Plugin | None = None
    account: Account | None = None


class FetchOptions:
    def __init__(
        self, plugins: Plugins, accounts: UsableAccounts, domains: SupportedDomains
    ) -> None:
        self._plugins = plugins
        self._accounts = accounts
        self._domains = domains

    async def for_link(self, own: Plugin | None, host: str) -> AsyncIterator[FetchOption]:
        """Yield the hoster with an account, then multi-hosters, then the hoster without one."""
        usable = await self._accounts.usable()
        for each in usable:
            if own and each.plugin_id == own.id:
                yield FetchOption(own, each.account)
        if usable:
            for multi in await self._plugins.multis():
                async for option in self._multi_options(multi, usable, host):
                    if multi is not own:
                        yield option
        if own is None or not own.declared.account_required:
            yield FetchOption(own)

    async def _multi_options(
        self, multi: Plugin, usable: list[UsableAccount], host: str
    ) -> AsyncIterator[FetchOption]:
        for each in usable:
            # Free accounts of multi-hosters cannot fetch files.
            if each.plugin_id != multi.id or each.premium is False:
                continue
            if await self._domains.supports(multi, each.account, host):
                yield FetchOption(multi, each.account)
