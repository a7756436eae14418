import asyncio
from typing import Annotated

from litestar import delete, get, post, put
from litestar.params import FromPath, QueryParameter
from litestar.response import Redirect

from quartet.kernel.web import PUBLIC, Injected, JSONBody, Request
from quartet.wind.accounts.asking import OWN, account_of
from quartet.wind.alerts.preview import Previews
from quartet.wind.alerts.service import Alarms
from quartet.wind.alerts.types import (
    Alarm,
    AlarmChange,
    AlarmHistory,
    AlarmList,
    Preview,
    PreviewRequest,
    TrialRequest,
    TrialResults,
)
from quartet.wind.alerts.unsubscribe import Tokens

Token = Annotated[str, QueryParameter(name="token", description="From a mail.")]


@get("/api/alarms", **OWN)
async def alarms(request: Request, alarm_service: Injected[Alarms]) -> AlarmList:
    """The alarm of every spot that has one."""
    return await alarm_service.all(account_of(request))


@put("/api/alarms/{favorite:int}", **OWN)
async def put_alarm(
    request: Request,
    favorite: FromPath[int],
    data: JSONBody[AlarmChange],
    alarm_service: Injected[Alarms],
) -> Alarm:
    """Sets the alarm of a spot."""
    return await alarm_service.put(account_of(request), favorite, data)


@delete("/api/alarms/{favorite:int}")
async def remove_alarm(
    request: Request, favorite: FromPath[int], alarm_service: Injected[Alarms]
) -> None:
    """Removes the alarm of a spot."""
    await alarm_service.remove(account_of(request), favorite)


@get("/api/alarms/history", **OWN)
async def history(request: Request, alarm_service: Injected[Alarms]) -> AlarmHistory:
    """What was told, and how it went."""
    return await alarm_service.history(account_of(request))


@post("/api/alarms/preview", status_code=200, **OWN)
async def preview(
    request: Request, data: JSONBody[PreviewRequest], alarm_previews: Injected[Previews]
) -> Preview:
    """What an alarm would find, and what it would have found in the last 30 days."""
    return await alarm_previews.show(account_of(request), data)


@post("/api/alarms/test", status_code=200, **OWN)
async def test_message(
    request: Request, data: JSONBody[TrialRequest], alarm_service: Injected[Alarms]
) -> TrialResults:
    """Sends a test message to oneself."""
    return await alarm_service.test(account_of(request), data)


@post("/api/alarms/unsubscribe", status_code=204, **PUBLIC)
async def unsubscribe(
    token: Token, alarm_service: Injected[Alarms], unsubscribe_tokens: Injected[Tokens]
) -> None:
    """One click in a mail program: no more mails about an alarm. The body does not matter."""
    meant = await asyncio.to_thread(unsubscribe_tokens.read, token)
    await alarm_service.without_email(meant)


@get("/api/alarms/unsubscribe", **PUBLIC)
async def ask_first(request: Request, token: Token) -> Redirect:
    """For mail programs that open the address: a page asks, for programs look at links as well."""
    return Redirect(f"../../unsubscribe?{request.url.query}")


ROUTES = [
    alarms,
    put_alarm,
    remove_alarm,
    history,
    preview,
    test_message,
    unsubscribe,
    ask_first,
]
