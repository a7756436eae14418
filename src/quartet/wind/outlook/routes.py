from litestar import get

from quartet.kernel.web import Injected, Request
from quartet.wind.accounts.asking import OWN, account_of
from quartet.wind.outlook.service import Outlooks
from quartet.wind.outlook.types import Outlook


@get("/api/favorites/outlook", **OWN)
async def outlook(request: Request, outlooks: Injected[Outlooks]) -> Outlook:
    """The next good hours at all one's spots, what to rig in them, and the wind right now."""
    return await outlooks.of(account_of(request))


ROUTES = [outlook]
