from typing import Annotated

from litestar import get
from litestar.params import QueryParameter

from quartet.kernel.web import Injected
from quartet.sync.activity.service import Activity
from quartet.sync.activity.types import ActivityEvent
from quartet.sync.protocol.limits import LARGEST_NUMBER


@get("/api/events")
async def list_events(
    activity: Injected[Activity],
    before: Annotated[int | None, QueryParameter(ge=0, le=LARGEST_NUMBER)] = None,
    limit: Annotated[int, QueryParameter(ge=1, le=500)] = 100,
) -> list[ActivityEvent]:
    """List activity events, newest first; `before` is the last id already seen."""
    return await activity.page(before, limit)


ROUTES = [list_events]
