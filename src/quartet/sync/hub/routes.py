from litestar import delete, get
from litestar.params import FromPath

from quartet.kernel.errors import AppError
from quartet.kernel.web import Injected, Request, identity_of
from quartet.sync.config.service.revisions import Revisions
from quartet.sync.hub.service import Hubs
from quartet.sync.hub.types import ListedHub


@get("/api/hubs")
async def list_hubs(hubs: Injected[Hubs], revisions: Injected[Revisions]) -> list[ListedHub]:
    """List the hubs that devices can be assigned to, main hub first."""
    return hubs.listed(revisions.current)


@delete("/api/hubs/{name:str}", status_code=204, audit="deleted")
async def remove_hub(
    request: Request, name: FromPath[str], hubs: Injected[Hubs], revisions: Injected[Revisions]
) -> None:
    """Remove a hub that no server runs and no device uses; its files are kept."""
    await hubs.remove(revisions, identity_of(request).subject, name)


@delete("/api/hubs", status_code=204, audit="deleted")
async def remove_main_hub() -> None:
    """The main hub cannot be removed: it holds every folder. Its name is empty."""
    raise AppError(409, "main_hub_stays")


ROUTES = [list_hubs, remove_hub, remove_main_hub]
