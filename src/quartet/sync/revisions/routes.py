from typing import Annotated

from litestar import get, post
from litestar.params import FromPath, QueryParameter

from quartet.kernel.web import Injected, Request, identity_of
from quartet.sync.protocol.limits import LARGEST_NUMBER
from quartet.sync.revisions.service import Revisions
from quartet.sync.revisions.types import Revision
from quartet.sync.shares.types import Revised


@get("/api/revisions")
async def list_revisions(
    revisions: Injected[Revisions],
    before: Annotated[int | None, QueryParameter(ge=0, le=LARGEST_NUMBER)] = None,
    limit: Annotated[int, QueryParameter(ge=1, le=500)] = 50,
) -> list[Revision]:
    """The newest first; `before` is the last revision seen."""
    return await revisions.page(before, limit)


@post("/api/revisions/{revision:int}/restore", status_code=200)
async def restore_revision(
    request: Request, revision: FromPath[int], revisions: Injected[Revisions]
) -> Revised:
    """Folders and shares as they were then, as a new revision; devices stay as they are."""
    return Revised(await revisions.restore(identity_of(request).subject, revision))


ROUTES = [list_revisions, restore_revision]
