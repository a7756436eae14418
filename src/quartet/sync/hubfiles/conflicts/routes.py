from typing import Annotated

from litestar import get, post
from litestar.params import FromPath, QueryParameter

from quartet.kernel.web import Injected, JSONBody
from quartet.sync.accounts.access import EDITOR, READER
from quartet.sync.hub.shared import SharedHub
from quartet.sync.hubfiles.conflicts.service import Conflicts
from quartet.sync.hubfiles.conflicts.types import (
    Conflict,
    Content,
    Resolve,
    ResolveAll,
    Resolved,
    ResolvedAll,
)


@get("/api/folders/{folder_id:int}/conflicts", **READER)
async def list_conflicts(
    folder_id: FromPath[int], conflicts: Injected[Conflicts], hub: Injected[SharedHub]
) -> list[Conflict]:
    """List the conflicts of a folder; the hub's disk is searched every 30 seconds and after engine
    events.
    """
    return await hub.call_owner(conflicts.page, folder_id)


@get("/api/folders/{folder_id:int}/conflicts/content", **READER)
async def conflict_content(
    folder_id: FromPath[int],
    conflicts: Injected[Conflicts],
    hub: Injected[SharedHub],
    copy: Annotated[str, QueryParameter(min_length=1, max_length=4096)],
) -> Content:
    """Return both sides of a conflict, with a line diff for texts of up to 256 KB."""
    return await hub.call_owner(conflicts.content, folder_id, copy)


@post("/api/folders/{folder_id:int}/conflicts/resolve", status_code=200, **EDITOR)
async def resolve_conflict(
    folder_id: FromPath[int],
    data: JSONBody[Resolve],
    conflicts: Injected[Conflicts],
    hub: Injected[SharedHub],
) -> Resolved:
    """Resolve a conflict on the hub's disk; the result syncs to every device."""
    return Resolved(await hub.call_owner(conflicts.resolve, folder_id, data))


@post("/api/folders/{folder_id:int}/conflicts/resolve-all", status_code=200, **EDITOR)
async def resolve_all_conflicts(
    folder_id: FromPath[int],
    data: JSONBody[ResolveAll],
    conflicts: Injected[Conflicts],
    hub: Injected[SharedHub],
) -> ResolvedAll:
    """Keep the newest or largest side of every conflict, or all sides of one device."""
    return await hub.call_owner(conflicts.resolve_all, folder_id, data)


ROUTES = [list_conflicts, conflict_content, resolve_conflict, resolve_all_conflicts]
