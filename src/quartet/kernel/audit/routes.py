from typing import Annotated

from litestar import get
from litestar.params import FromQuery, QueryParameter

from quartet.kernel.audit.service import AuditLog
from quartet.kernel.audit.types import AuditEvent, AuditPage
from quartet.kernel.web import Injected

MOST_ENTRIES = 200
# JSON numbers are exact up to here.
LARGEST_ID = 2**53


@get("/api/system/audit", opt={"admin": True})
async def audit_page(
    audit_log: Injected[AuditLog],
    before: Annotated[int | None, QueryParameter(ge=1, le=LARGEST_ID)] = None,
    event: FromQuery[AuditEvent | None] = None,
    limit: Annotated[int, QueryParameter(ge=1, le=MOST_ENTRIES)] = 50,
) -> AuditPage:
    """Return security events, newest first."""
    return await audit_log.page(before, event, limit)


ROUTES = [audit_page]
