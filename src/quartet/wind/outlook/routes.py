from litestar import get

from quartet.kernel.web import Injected, Request
from quartet.wind.accounts.current_user import OWN, account_of
from quartet.wind.outlook.service import Outlooks
from quartet.wind.outlook.types import Outlook


@get("/api/favorites/outlook", **OWN)
async def outlook(request: Request, outlooks: Injected[Outlooks]) -> Outlook:
    """The next good hours at all your spots, matching gear, and the current wind."""
    return await outlooks.of(account_of(request))


ROUTES = [outlook]
