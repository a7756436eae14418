from litestar import get
from litestar.params import FromQuery

from quartet.kernel.audit.service import AuditLog
from quartet.kernel.audit.types import AuditEvent, AuditPage, EntryId, Limit
from quartet.kernel.web import Injected


@get("/api/system/audit", opt={"admin": True})
async def audit_page(
    audit_log: Injected[AuditLog],
    before: FromQuery[EntryId | None] = None,
    event: FromQuery[AuditEvent | None] = None,
    limit: FromQuery[Limit] = 50,
) -> AuditPage:
    """Return security events, newest first."""
    return await audit_log.page(before, event, limit)


ROUTES = [audit_page]
