from litestar import get, post

from quartet.downloads.hosters.service import Plugins
from quartet.downloads.hosters.types import PluginList
from quartet.kernel.web import Injected


@get("/api/plugins")
async def list_plugins(plugins: Injected[Plugins]) -> PluginList:
    """List the loaded plugins and the files that could not be loaded."""
    return await plugins.list()


@post("/api/plugins/reload", status_code=200)
async def reload_plugins(plugins: Injected[Plugins]) -> PluginList:
    """Reload the plugin folder; running downloads are not affected."""
    return await plugins.reload()


ROUTES = [list_plugins, reload_plugins]
