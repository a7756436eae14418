"""Whether files are there, by the plugin of their link or by asking their server."""

from collections.abc import Sequence

from quartet.downloads.hosters.calls import Calls
from quartet.downloads.hosters.crawling import usable_hash
from quartet.downloads.hosters.errors import Offline, PluginError
from quartet.downloads.hosters.service import Plugins
from quartet.downloads.hosters.shapes import Checked
from quartet.downloads.links.look import look
from quartet.downloads.links.types import Found, Link, Unchecked
from quartet.downloads.packages.typed import plain
from quartet.downloads.packages.types import Online
from quartet.downloads.settings import DownloadsSettings
from quartet.kernel.service import Kernel


class Checker:
    def __init__(self, kernel: Kernel[DownloadsSettings], plugins: Plugins, calls: Calls) -> None:
        self._kernel = kernel
        self._plugins = plugins
        self._calls = calls

    async def match(self, links: Sequence[Link]) -> Sequence[Link]:
        """With the plugin each belongs to."""
        owners = await self._plugins.owners([link.url for link in links])
        return [
            link._replace(plugin_id=owner.plugin_id, folder=owner.folder)
            for link, owner in zip(links, owners, strict=True)
        ]

    async def look(self, link: Unchecked) -> Found:
        if link.plugin_id is None:
            return await look(self._kernel.outbound, link.url)
        plugin = await self._plugins.get(link.plugin_id)
        if plugin is None:
            return Found("unknown")
        if plugin.is_folder(link.url):
            return Found("unknown", folder=True)
        if not plugin.can("check"):
            return Found("unknown")
        try:
            return _found(await self._calls.check(plugin, plugin.link(link.url, link.name)))
        except Offline:
            return Found("offline")
        except PluginError:
            return Found("unknown")


def _found(checked: Checked) -> Found:
    hash_type, hash_value = usable_hash(checked.hash)
    name = plain(checked.name or "") or None
    online: Online = "online" if checked.online else "offline"
    return Found(online, name, checked.size, hash_type, hash_value)
