import asyncio
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple
from urllib.parse import urlsplit

from quartet.downloads.events import Changed
from quartet.downloads.hosters.clock import Clock
from quartet.downloads.hosters.loading import Loaded, Loading
from quartet.downloads.hosters.plugin import Plugin
from quartet.downloads.hosters.types import PluginList
from quartet.downloads.hosters.workers import TimeIsUp, TooManyStuck, Workers
from quartet.kernel.events import EventHub

MATCH_SECONDS = 10.0


class Owner(NamedTuple):
    """The plugin of a link, and whether the link is a folder's."""

    plugin_id: str | None = None
    folder: bool = False


PLAIN = Owner()


class Plugins:
    """Loaded when first needed: most starts of the program need none."""

    def __init__(self, folder: Path, workers: Workers, hub: EventHub) -> None:
        self._loading = Loading(folder, workers)
        self._workers = workers
        self._hub = hub
        self._turn = asyncio.Lock()
        self._loaded: Loaded | None = None
        self._index = _Index([])

    async def list(self) -> PluginList:
        return (await self._all()).shown()

    async def reload(self) -> PluginList:
        """Calls that run now end with what they began with."""
        async with self._turn:
            loaded = await self._load()
        self._hub.publish(Changed("plugins"))
        return loaded.shown()

    async def get(self, id: str) -> Plugin | None:
        return (await self._all()).plugins.get(id)

    async def multis(self) -> Sequence[Plugin]:
        """Those that fetch files of other hosters."""
        loaded = await self._all()
        return [plugin for plugin in loaded.plugins.values() if plugin.declared.multi]

    async def owners(self, urls: Sequence[str]) -> Sequence[Owner]:
        """One for each link; plain links have none."""
        await self._all()
        index = self._index

        async def job() -> list[Owner]:
            return [index.owner(url) for url in urls]

        try:
            return await self._workers.run("match", job, Clock(MATCH_SECONDS))
        except (TimeIsUp, TooManyStuck):
            return [PLAIN] * len(urls)

    async def _all(self) -> Loaded:
        if self._loaded is None:
            async with self._turn:
                if self._loaded is None:
                    return await self._load()
        return self._loaded

    async def _load(self) -> Loaded:
        loaded = await self._loading.all()
        self._loaded, self._index = loaded, _Index(list(loaded.plugins.values()))
        return loaded


class _Index:
    """Finds the plugin of a link by its host first: thousands of links come at once."""

    def __init__(self, plugins: Sequence[Plugin]) -> None:
        self._everywhere = [each for each in plugins if not each.declared.domains]
        self._at: dict[str, list[Plugin]] = {}
        for plugin in plugins:
            for domain in plugin.declared.domains:
                self._at.setdefault(domain.lower(), []).append(plugin)

    def owner(self, url: str) -> Owner:
        labels = (urlsplit(url).hostname or "").split(".")
        domains = (".".join(labels[place:]) for place in range(len(labels)))
        found = (plugin for domain in domains for plugin in self._at.get(domain, ()))
        for plugin in (*found, *self._everywhere):
            if _matches(plugin, url):
                return Owner(plugin.id, plugin.is_folder(url))
        return PLAIN


def _matches(plugin: Plugin, url: str) -> bool:
    try:
        return bool(plugin.hoster.match(url))
    except Exception:  # noqa: BLE001 - a plugin that fails knows nothing of the link
        return False
