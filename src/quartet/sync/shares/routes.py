from litestar import post

from quartet.kernel.web import Injected, JSONBody, Request, identity_of
from quartet.sync.shares.service import ShareDrafts
from quartet.sync.shares.types import Draft, Preview, Revised


@post("/api/shares", status_code=200)
async def apply_draft(
    request: Request, data: JSONBody[Draft], drafts: Injected[ShareDrafts]
) -> Revised:
    """Modes and paths as one revision, or none of them: every row that cannot be is named."""
    return Revised(await drafts.apply(identity_of(request).subject, data))


@post("/api/shares/preview", status_code=200)
async def preview_draft(data: JSONBody[Draft], drafts: Injected[ShareDrafts]) -> Preview:
    """What a draft would change on which device."""
    return drafts.preview(data)


ROUTES = [apply_draft, preview_draft]
