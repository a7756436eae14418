"""The domains that a multi-hoster supports, cached for some hours."""

import asyncio
import time
from typing import NamedTuple

from quartet.downloads.hosters.calls import PluginCalls
from quartet.downloads.hosters.errors import PluginError
from quartet.downloads.hosters.plugin import Plugin
from quartet.downloads.hosters.plugin_types import Account

FRESH_SECONDS = 6 * 3600.0
# The delay before another attempt if the request failed.
AGAIN_SECONDS = 600.0


class _CachedDomains(NamedTuple):
    domains: frozenset[str]
    until: float


class SupportedDomains:
    def __init__(self, calls: PluginCalls) -> None:
        self._calls = calls
        self._known: dict[str, _CachedDomains] = {}
        # One caller asks; the others wait for its result.
        self._lock = asyncio.Lock()

    async def supports(self, plugin: Plugin, account: Account, host: str) -> bool:
        known = self._known.get(plugin.id)
        if known is None or known.until < time.monotonic():
            async with self._lock:
                known = self._known.get(plugin.id)
                if known is None or known.until < time.monotonic():
                    known = self._known[plugin.id] = await self._ask(plugin, account, known)
        labels = host.lower().split(".")
        return any(".".join(labels[place:]) in known.domains for place in range(len(labels)))

    def clear(self, plugin_id: str) -> None:
        """Clear the cache, because another account may support other domains."""
        self._known.pop(plugin_id, None)

    async def _ask(
        self, plugin: Plugin, account: Account, before: _CachedDomains | None
    ) -> _CachedDomains:
        try:
            domains = await self._calls.supported(plugin, account)
        except PluginError:
            old = before.domains if before else frozenset[str]()
            return _CachedDomains(old, time.monotonic() + AGAIN_SECONDS)
        return _CachedDomains(frozenset(map(str.lower, domains)), time.monotonic() + FRESH_SECONDS)
