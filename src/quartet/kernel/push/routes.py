"""Push messages of a service without accounts."""

from litestar import delete, get, post

from quartet.kernel.push.notices import ONLY_USER, BrowserNotices
from quartet.kernel.push.service import Push
from quartet.kernel.push.types import NewSubscription, OldSubscription, PushInfo, PushTest
from quartet.kernel.web import OFF_PAGE, Injected, JSONBody, Request, identity_of


@get("/api/push")
async def push_info(push: Injected[Push]) -> PushInfo:
    """Return the server's push key and the number of subscribed browsers."""
    return await push.info(ONLY_USER)


@post("/api/push/subscriptions", status_code=204)
async def subscribe(
    request: Request, data: JSONBody[NewSubscription], push: Injected[Push]
) -> None:
    """Subscribe this browser to notifications."""
    await push.subscribe(ONLY_USER, identity_of(request).session, data)


@delete("/api/push/subscriptions", audit="deleted", **OFF_PAGE)
async def unsubscribe(data: JSONBody[OldSubscription], push: Injected[Push]) -> None:
    """Unsubscribe one browser, or all of them."""
    await push.unsubscribe(ONLY_USER, data.endpoint)


@post("/api/push/test", status_code=204)
async def send_test(data: JSONBody[PushTest], browser_notices: Injected[BrowserNotices]) -> None:
    """Send a test message to all subscribed browsers."""
    await browser_notices.send_test(data.language)


ROUTES = [push_info, subscribe, unsubscribe, send_test]
