from litestar import Response, get
from litestar.params import FromPath

from quartet.downloads.icons.service import Icons
from quartet.downloads.icons.types import HostIcons
from quartet.kernel.web import Injected

_KEPT = {"cache-control": "private, max-age=86400"}


@get("/api/hosts/icons")
async def list_host_icons(icons: Injected[Icons]) -> HostIcons:
    """Return which hosts have an icon; those of new hosts are fetched in the background.

    Empty if the settings forbid to fetch icons.
    """
    return await icons.shown()


@get("/api/hosts/{host:str}/icon", media_type="image/*")
async def read_host_icon(host: FromPath[str], icons: Injected[Icons]) -> Response[bytes]:
    """Return the icon of a host; it is never fetched here. 404 `not_found` if there is none."""
    icon = await icons.icon(host)
    return Response(icon.picture, media_type=icon.media_type, headers=_KEPT)


ROUTES = [list_host_icons, read_host_icon]
