import asyncio
import logging
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple
from urllib.parse import urlsplit

from quartet.downloads.events import Changed
from quartet.downloads.hosters.call_timer import CallTimer
from quartet.downloads.hosters.loader import LoadedPlugins, PluginLoader
from quartet.downloads.hosters.plugin import Plugin
from quartet.downloads.hosters.types import PluginList
from quartet.downloads.hosters.workers import CallTimedOut, PluginStuck, Workers
from quartet.kernel.events import EventHub
from quartet.kernel.log import problem_text

log = logging.getLogger("quartet.downloads.plugins")

MATCH_SECONDS = 10.0


class LinkOwner(NamedTuple):
    """The plugin of a link, and whether it is a folder link."""

    plugin_id: str | None = None
    folder: bool = False


NO_OWNER = LinkOwner()


class Plugins:
    """Loads the plugins when they are first needed, because most processes never need them."""

    def __init__(self, folder: Path, workers: Workers, hub: EventHub) -> None:
        self._loader = PluginLoader(folder, workers)
        self._workers = workers
        self._hub = hub
        self._lock = asyncio.Lock()
        self._loaded: LoadedPlugins | None = None
        self._index = _Index([])

    async def list(self) -> PluginList:
        return (await self._all()).shown()

    async def reload(self) -> PluginList:
        """Load all plugins again; running calls end with the old ones."""
        async with self._lock:
            loaded = await self._load()
        self._hub.publish(Changed("plugins"))
        return loaded.shown()

    async def get(self, id: str) -> Plugin | None:
        return (await self._all()).plugins.get(id)

    async def with_accounts_at(self, host: str) -> Plugin | None:
        """Return the plugin of this domain, if it has accounts."""
        await self._all()
        return next((each for each in self._index.at(host) if each.declared.account), None)

    async def multis(self) -> Sequence[Plugin]:
        """Return the multi-hosters."""
        loaded = await self._all()
        return [plugin for plugin in loaded.plugins.values() if plugin.declared.multi]

    async def owners(self, urls: Sequence[str]) -> Sequence[LinkOwner]:
        """Return the owner of each link; plain links have none."""
        await self._all()
        index = self._index

        async def job() -> list[LinkOwner]:
            return [index.owner(url) for url in urls]

        try:
            return await self._workers.run("match", job, CallTimer(MATCH_SECONDS))
        except (CallTimedOut, PluginStuck):
            return [NO_OWNER] * len(urls)

    async def _all(self) -> LoadedPlugins:
        if self._loaded is None:
            async with self._lock:
                if self._loaded is None:
                    return await self._load()
        return self._loaded

    async def _load(self) -> LoadedPlugins:
        again = "loaded" if self._loaded is None else "reloaded"
        loaded = await self._loader.load_all()
        for plugin in loaded.plugins.values():
            # The built-in plugins are the same in every installation.
            level = logging.DEBUG if plugin.builtin else logging.INFO
            version = plugin.declared.version
            log.log(level, "plugin %s %s: %s from %s", plugin.id, again, version, plugin.file)
        for broken in loaded.errors:
            log.warning("plugin %s is broken: %s", broken.file, problem_text(broken.error))
        log.info("plugins %s: %d, broken: %d", again, len(loaded.plugins), len(loaded.errors))
        self._loaded, self._index = loaded, _Index(list(loaded.plugins.values()))
        return loaded


class _Index:
    """Finds the plugin of a link by its domain first, because links may come by the thousand."""

    def __init__(self, plugins: Sequence[Plugin]) -> None:
        self._everywhere = [each for each in plugins if not each.declared.domains]
        self._at: dict[str, list[Plugin]] = {}
        for plugin in plugins:
            for domain in plugin.declared.domains:
                self._at.setdefault(domain.lower(), []).append(plugin)

    def at(self, host: str) -> Iterator[Plugin]:
        """Yield the plugins of this domain and of those above it."""
        labels = host.split(".")
        for place in range(len(labels)):
            yield from self._at.get(".".join(labels[place:]), ())

    def owner(self, url: str) -> LinkOwner:
        for plugin in (*self.at(urlsplit(url).hostname or ""), *self._everywhere):
            if _matches(plugin, url):
                return LinkOwner(plugin.id, plugin.is_folder(url))
        return NO_OWNER


def _matches(plugin: Plugin, url: str) -> bool:
    try:
        return bool(plugin.hoster.match(url))
    except Exception:  # noqa: BLE001 - a failing plugin does not match
        return False
