from litestar import Response, delete, get, post
from litestar.params import FromPath

from quartet.kernel.web import PUBLIC, Injected, Request
from quartet.wind.accounts.current_user import OWN, account_of
from quartet.wind.calendar.service import Calendars
from quartet.wind.calendar.types import CalendarFeed, NewCalendarFeed


@get("/api/calendar", **OWN)
async def calendar_feed(request: Request, calendars: Injected[Calendars]) -> CalendarFeed:
    """Whether you have a private calendar address."""
    return await calendars.of(account_of(request))


@post("/api/calendar", status_code=200, **OWN)
async def make_calendar_feed(request: Request, calendars: Injected[Calendars]) -> NewCalendarFeed:
    """Create a private calendar address, which replaces an earlier one. It is only shown here."""
    return await calendars.make(account_of(request))


@delete("/api/calendar", audit="deleted", **OWN)
async def remove_calendar_feed(request: Request, calendars: Injected[Calendars]) -> None:
    """Revoke your calendar address."""
    await calendars.remove(account_of(request))


@get("/api/calendar/{file:str}", media_type="text/calendar", secret_path=True, **PUBLIC)
async def read_calendar(file: FromPath[str], calendars: Injected[Calendars]) -> Response[bytes]:
    """The good windows of a user's spots as iCalendar. The address is the secret."""
    return Response(
        await calendars.read(file),
        media_type="text/calendar",
        headers={
            "cache-control": "private, no-store",
            "content-disposition": 'inline; filename="wind.ics"',
        },
    )


ROUTES = [calendar_feed, make_calendar_feed, remove_calendar_feed, read_calendar]
