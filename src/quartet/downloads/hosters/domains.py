"""Which hosts a multi-hoster fetches from, asked now and then."""

import asyncio
import time
from typing import NamedTuple

from quartet.downloads.hosters.calls import Calls
from quartet.downloads.hosters.errors import PluginError
from quartet.downloads.hosters.plugin import Plugin
from quartet.downloads.hosters.shapes import Account

FRESH_SECONDS = 6 * 3600.0
# When it could not be asked.
AGAIN_SECONDS = 600.0


class _List(NamedTuple):
    domains: frozenset[str]
    until: float


class Domains:
    def __init__(self, calls: Calls) -> None:
        self._calls = calls
        self._known: dict[str, _List] = {}
        # One asks, the others wait for what comes of it.
        self._turn = asyncio.Lock()

    async def supports(self, plugin: Plugin, account: Account, host: str) -> bool:
        known = self._known.get(plugin.id)
        if known is None or known.until < time.monotonic():
            async with self._turn:
                known = self._known.get(plugin.id)
                if known is None or known.until < time.monotonic():
                    known = self._known[plugin.id] = await self._ask(plugin, account, known)
        labels = host.lower().split(".")
        return any(".".join(labels[place:]) in known.domains for place in range(len(labels)))

    def forget(self, plugin_id: str) -> None:
        """Another account may be allowed more."""
        self._known.pop(plugin_id, None)

    async def _ask(self, plugin: Plugin, account: Account, before: _List | None) -> _List:
        try:
            domains = await self._calls.supported(plugin, account)
        except PluginError:
            old = before.domains if before else frozenset[str]()
            return _List(old, time.monotonic() + AGAIN_SECONDS)
        return _List(frozenset(map(str.lower, domains)), time.monotonic() + FRESH_SECONDS)
