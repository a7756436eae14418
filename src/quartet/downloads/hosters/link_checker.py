"""The online check: asks the plugin of a link, or the server of a plain link."""

from collections.abc import Sequence

from quartet.downloads.hosters.calls import PluginCalls
from quartet.downloads.hosters.crawler import usable_hash
from quartet.downloads.hosters.errors import Offline, PluginError
from quartet.downloads.hosters.plugin_types import Checked
from quartet.downloads.hosters.service import Plugins
from quartet.downloads.input_cleanup import clean_text
from quartet.downloads.links.probe import probe_link
from quartet.downloads.links.types import LinkInfo, ParsedLink, UncheckedLink
from quartet.downloads.packages.types import Online
from quartet.downloads.request_headers import RequestHeaders
from quartet.downloads.server_logins.service import ServerLogins
from quartet.downloads.settings import DownloadsSettings
from quartet.downloads.webpages.addresses import may_be_list
from quartet.downloads.webpages.types import AUTOMATIC
from quartet.kernel.service import Kernel

_MOST_MIRRORS = 10
_NO_HEADERS = RequestHeaders()


class LinkChecker:
    def __init__(
        self,
        kernel: Kernel[DownloadsSettings],
        plugins: Plugins,
        calls: PluginCalls,
        logins: ServerLogins,
    ) -> None:
        self._kernel = kernel
        self._logins = logins
        self._plugins = plugins
        self._calls = calls

    async def match(self, links: Sequence[ParsedLink]) -> Sequence[ParsedLink]:
        """Return the links with the plugins they belong to; those of none may be lists."""
        owners = await self._plugins.owners([link.url for link in links])
        return [
            _as_list(link)
            if owner.plugin_id is None and may_be_list(link.url)
            else link._replace(plugin_id=owner.plugin_id, folder=owner.folder)
            for link, owner in zip(links, owners, strict=True)
        ]

    async def check(self, link: UncheckedLink) -> LinkInfo:
        if link.url.startswith("magnet:"):
            # In the queue, peers are searched only when the torrent is started.
            return LinkInfo("unknown")
        if link.crawl_depth is not None:
            return LinkInfo("unknown", folder=True)
        if link.plugin_id is None:
            return await self._probe(link)
        plugin = await self._plugins.get(link.plugin_id)
        if plugin is None:
            return LinkInfo("unknown")
        if plugin.is_folder(link.url):
            return LinkInfo("unknown", folder=True)
        if not plugin.can("check"):
            return LinkInfo("unknown")
        try:
            return _link_info(await self._calls.check(plugin, plugin.link(link.url, link.name)))
        except Offline:
            return LinkInfo("offline")
        except PluginError as error:
            return LinkInfo("unknown", error=error.problem)

    async def _probe(self, link: UncheckedLink) -> LinkInfo:
        """Ask the server; a file that it does not offer may still be on one of its mirrors."""
        found = await self._probe_address(link.url, link.request_headers)
        for url in (link.mirrors or ())[:_MOST_MIRRORS]:
            if found.online == "online" or found.container:
                break
            other = await self._probe_address(url)
            # The file is only offline if all of them say so.
            if other.online == "online" or found.online == "offline":
                found = other
        return found

    async def _probe_address(self, url: str, own: RequestHeaders = _NO_HEADERS) -> LinkInfo:
        own = await self._logins.with_login(url, own)
        return await probe_link(self._kernel.outbound, url, own)


def _as_list(link: ParsedLink) -> ParsedLink:
    return link._replace(folder=True, crawl_depth=AUTOMATIC)


def _link_info(checked: Checked) -> LinkInfo:
    hash_type, hash_value = usable_hash(checked.hash)
    name = clean_text(checked.name or "") or None
    online: Online = "online" if checked.online else "offline"
    return LinkInfo(online, name, checked.size, hash_type, hash_value)
