from typing import Annotated

from litestar import get, post
from litestar.params import QueryParameter

from quartet.kernel.web import Injected, JSONBody
from quartet.media.inbox.service import Inbox
from quartet.media.inbox.types import Approval, Approved, InboxPage, Rejected, Rejection
from quartet.media.types import LARGEST_ID


@get("/api/inbox")
async def list_inbox(
    inbox: Injected[Inbox],
    cursor: Annotated[int | None, QueryParameter(ge=1, le=LARGEST_ID)] = None,
    limit: Annotated[int, QueryParameter(ge=1, le=500)] = 200,
) -> InboxPage:
    """Lists files from watch folders and download clients that need review."""
    return await inbox.page(cursor, limit)


@post("/api/inbox/approve", status_code=202)
async def approve(data: JSONBody[Approval], inbox: Injected[Inbox]) -> Approved:
    """Approves items; they are queued for execution as they are."""
    return await inbox.approve(data)


@post("/api/inbox/reject", status_code=200)
async def reject(data: JSONBody[Rejection], inbox: Injected[Inbox]) -> Rejected:
    """Rejects items; their files stay where they are."""
    return await inbox.reject(data)


ROUTES = [list_inbox, approve, reject]
