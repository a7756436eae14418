from typing import Annotated

from litestar import get
from litestar.params import QueryParameter

from quartet.kernel.web import Injected, Request
from quartet.sync.accounts.access import READER, view_of
from quartet.sync.activity.service import Activity
from quartet.sync.activity.types import ActivityEvent
from quartet.sync.protocol.limits import LARGEST_NUMBER


@get("/api/events", **READER)
async def list_events(
    request: Request,
    activity: Injected[Activity],
    before: Annotated[int | None, QueryParameter(ge=0, le=LARGEST_NUMBER)] = None,
    limit: Annotated[int, QueryParameter(ge=1, le=500)] = 100,
) -> list[ActivityEvent]:
    """List activity events, newest first; `before` is the last id already seen."""
    return await activity.page(before, limit, view_of(request))


ROUTES = [list_events]
