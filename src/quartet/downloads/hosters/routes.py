from litestar import get, post

from quartet.downloads.hosters.crawler import Crawler
from quartet.downloads.hosters.service import Plugins
from quartet.downloads.hosters.types import PluginList
from quartet.downloads.webpages.types import CrawlPages
from quartet.kernel.web import Injected, JSONBody


@get("/api/plugins")
async def list_plugins(plugins: Injected[Plugins]) -> PluginList:
    """List the loaded plugins and the files that could not be loaded."""
    return await plugins.list()


@post("/api/plugins/reload", status_code=200)
async def reload_plugins(plugins: Injected[Plugins]) -> PluginList:
    """Reload the plugin folder; running downloads are not affected."""
    return await plugins.reload()


@post("/api/links/crawl", status_code=202)
async def crawl_pages(data: JSONBody[CrawlPages], crawler: Injected[Crawler]) -> None:
    """Replace web pages in the link grabber with the links on them, in the background.

    404 `not_found` if none of the links is a web address without a plugin.
    """
    await crawler.search(data)


ROUTES = [list_plugins, reload_plugins, crawl_pages]
