from litestar import get

from quartet.kernel.web import Given
from quartet.sync.hubs.service import Hubs
from quartet.sync.hubs.types import ListedHub
from quartet.sync.revisions.service import Revisions


@get("/api/hubs")
async def list_hubs(hubs: Given[Hubs], revisions: Given[Revisions]) -> list[ListedHub]:
    """Those a device can be assigned to, the main one first."""
    return hubs.listed(revisions.current)


ROUTES = [list_hubs]
