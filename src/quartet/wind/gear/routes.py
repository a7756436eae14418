from litestar import get, put

from quartet.kernel.web import Injected, JSONBody, Request
from quartet.wind.accounts.current_user import OWN, account_of
from quartet.wind.gear.service import Gear
from quartet.wind.gear.types import GearList


@get("/api/gear", **OWN)
async def gear_list(request: Request, gear: Injected[Gear]) -> GearList:
    """Your gear list."""
    return await gear.all(account_of(request))


@put("/api/gear", **OWN)
async def replace(request: Request, data: JSONBody[GearList], gear: Injected[Gear]) -> GearList:
    """Replace your gear list; at most 30 pieces."""
    return await gear.replace(account_of(request), data.items)


ROUTES = [gear_list, replace]
