from typing import Annotated

from litestar import get
from litestar.params import FromQuery, QueryParameter

from quartet.kernel.events import EventStream, sse
from quartet.kernel.web import Injected, Request
from quartet.wind.accounts.current_user import ADMIN
from quartet.wind.admin.log import Level, LogAdmin, LogLines


@get("/api/admin/log", **ADMIN)
async def admin_log(request: Request, admin_log_service: Injected[LogAdmin]) -> EventStream:
    """New log lines as Server-Sent Events named `line`."""
    return sse(admin_log_service.hub, request)


@get("/api/admin/log/lines", **ADMIN)
async def admin_log_lines(
    admin_log_service: Injected[LogAdmin],
    level: FromQuery[Level] = "debug",
    q: Annotated[str, QueryParameter(max_length=200)] = "",
    before: Annotated[int | None, QueryParameter(ge=0, le=2**62)] = None,
    limit: Annotated[int, QueryParameter(ge=1, le=1000)] = 200,
) -> LogLines:
    """The latest lines of at least this level that contain a text; `before` pages back by id."""
    return admin_log_service.lines(level, q, before, limit)


ROUTES = [admin_log, admin_log_lines]
