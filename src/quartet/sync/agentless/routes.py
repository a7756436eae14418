from litestar import delete, get, post
from litestar.params import FromPath

from quartet.kernel.web import Injected, JSONBody, Request, identity_of
from quartet.sync.agentless.service import Agentless
from quartet.sync.agentless.types import AddedDevice, Invitation, NewAgentless
from quartet.sync.config.desired import MAIN
from quartet.sync.hub.service import Hubs
from quartet.sync.protocol import host_of


@post("/api/devices", status_code=201)
async def add_device(
    request: Request, data: JSONBody[NewAgentless], agentless: Injected[Agentless]
) -> AddedDevice:
    """Add a device that runs Syncthing without an agent, by its engine id."""
    return AddedDevice(await agentless.add(identity_of(request).subject, data))


@get("/api/invitation")
async def invitation(request: Request, agentless: Injected[Agentless]) -> Invitation:
    """Return what a device without an agent needs to find the hub; starts the hub."""
    return agentless.invitation(host_of(request.url.netloc))


@delete("/api/pending/{engine_id:str}", status_code=204, audit="deleted")
async def dismiss(
    engine_id: FromPath[str], agentless: Injected[Agentless], hubs: Injected[Hubs]
) -> None:
    """Dismiss a device that has tried to connect; it appears again if it tries again."""
    await hubs.by_name[MAIN].call_owner(agentless.dismiss, engine_id)


ROUTES = [add_device, invitation, dismiss]
