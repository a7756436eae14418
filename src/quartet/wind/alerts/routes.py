import asyncio
from typing import Annotated

from litestar import delete, get, post, put
from litestar.params import FromPath, QueryParameter
from litestar.response import Redirect

from quartet.kernel.web import OFF_PAGE, PUBLIC, Injected, JSONBody, Request
from quartet.wind.accounts.current_user import OWN, account_of
from quartet.wind.alerts.preview import Previews
from quartet.wind.alerts.service import Alerts
from quartet.wind.alerts.types import (
    Alarm,
    AlarmChange,
    AlarmHistory,
    AlarmList,
    AlertSettings,
    Preview,
    PreviewRequest,
    TrialRequest,
    TrialResults,
)
from quartet.wind.alerts.unsubscribe import UnsubscribeTokens

Token = Annotated[str, QueryParameter(name="token", description="The token of the link in a mail.")]


@get("/api/alarms", **OWN)
async def alarms(request: Request, alert_service: Injected[Alerts]) -> AlarmList:
    """All alerts of your spots."""
    return await alert_service.all(account_of(request))


@put("/api/alarms/{favorite:int}", **OWN)
async def put_alarm(
    request: Request,
    favorite: FromPath[int],
    data: JSONBody[AlarmChange],
    alert_service: Injected[Alerts],
) -> Alarm:
    """Set the alert of a spot."""
    return await alert_service.put(account_of(request), favorite, data)


@delete("/api/alarms/{favorite:int}", audit="deleted", **OFF_PAGE)
async def remove_alarm(
    request: Request, favorite: FromPath[int], alert_service: Injected[Alerts]
) -> None:
    """Remove the alert of a spot."""
    await alert_service.remove(account_of(request), favorite)


@get("/api/alarms/history", **OWN)
async def history(request: Request, alert_service: Injected[Alerts]) -> AlarmHistory:
    """Windows you were notified about, and the state of each message."""
    return await alert_service.history(account_of(request))


@get("/api/alarms/settings", **OWN)
async def alert_settings(request: Request, alert_service: Injected[Alerts]) -> AlertSettings:
    """How the messages of your alerts are sent."""
    return await alert_service.settings(account_of(request))


@put("/api/alarms/settings", **OWN)
async def set_alert_settings(
    request: Request, data: JSONBody[AlertSettings], alert_service: Injected[Alerts]
) -> AlertSettings:
    """Send messages at once, or once a day."""
    return await alert_service.set_settings(account_of(request), data)


@post("/api/alarms/preview", status_code=200, **OWN)
async def preview(
    request: Request, data: JSONBody[PreviewRequest], alert_previews: Injected[Previews]
) -> Preview:
    """What an alert would find now, and would have found in the last 30 days."""
    return await alert_previews.show(account_of(request), data)


@post("/api/alarms/test", status_code=200, **OWN)
async def test_message(
    request: Request, data: JSONBody[TrialRequest], alert_service: Injected[Alerts]
) -> TrialResults:
    """Send a test message to yourself."""
    return await alert_service.test(account_of(request), data)


@post("/api/alarms/unsubscribe", status_code=204, **PUBLIC)
async def unsubscribe(
    token: Token, alert_service: Injected[Alerts], unsubscribe_tokens: Injected[UnsubscribeTokens]
) -> None:
    """One-click unsubscribe of mail clients: stops the mails of one alert or of all.

    The body is ignored.
    """
    target = await asyncio.to_thread(unsubscribe_tokens.read, token)
    await alert_service.stop_emails(target)


@get("/api/alarms/unsubscribe", **PUBLIC)
async def ask_first(request: Request, token: Token) -> Redirect:
    """Redirect to a page that asks for confirmation, because mail scanners open links too."""
    return Redirect(f"../../unsubscribe?{request.url.query}")


ROUTES = [
    alarms,
    put_alarm,
    remove_alarm,
    history,
    alert_settings,
    set_alert_settings,
    preview,
    test_message,
    unsubscribe,
    ask_first,
]
