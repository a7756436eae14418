from litestar import get, post

from quartet.downloads.hosters.service import Plugins
from quartet.downloads.hosters.types import PluginList
from quartet.kernel.web import Injected


@get("/api/plugins")
async def list_plugins(plugins: Injected[Plugins]) -> PluginList:
    """Plugins that are loaded, and files that could not be."""
    return await plugins.list()


@post("/api/plugins/reload", status_code=200)
async def reload_plugins(plugins: Injected[Plugins]) -> PluginList:
    """Reads the plugin folder again; downloads go on meanwhile."""
    return await plugins.reload()


ROUTES = [list_plugins, reload_plugins]
