from litestar import delete, get, post

from quartet.kernel.push.service import Push
from quartet.kernel.push.types import NewSubscription, OldSubscription
from quartet.kernel.web import OFF_PAGE, Injected, JSONBody, Request, identity_of
from quartet.wind.accounts.current_user import OWN, account_of
from quartet.wind.push.service import PushChannels
from quartet.wind.push.types import PushInfo


@get("/api/push", **OWN)
async def info(request: Request, push_channels: Injected[PushChannels]) -> PushInfo:
    """The server's push key, and whether e-mail is set up."""
    return await push_channels.info(account_of(request))


@post("/api/push/subscriptions", status_code=204)
async def subscribe(
    request: Request, data: JSONBody[NewSubscription], push: Injected[Push]
) -> None:
    """Subscribe this browser to messages."""
    await push.subscribe(account_of(request), identity_of(request).session, data)


@delete("/api/push/subscriptions", audit="deleted", **OFF_PAGE)
async def unsubscribe(
    request: Request, data: JSONBody[OldSubscription], push: Injected[Push]
) -> None:
    """Unsubscribe one browser, or all of your browsers."""
    await push.unsubscribe(account_of(request), data.endpoint)


ROUTES = [info, subscribe, unsubscribe]
