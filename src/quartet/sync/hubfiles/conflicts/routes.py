from typing import Annotated

from litestar import get, post
from litestar.params import FromPath, QueryParameter

from quartet.kernel.web import Injected, JSONBody
from quartet.sync.hub.shared import SharedHub
from quartet.sync.hubfiles.conflicts.service import Conflicts
from quartet.sync.hubfiles.conflicts.types import Conflict, Content, Resolve, Resolved


@get("/api/folders/{folder_id:int}/conflicts")
async def list_conflicts(
    folder_id: FromPath[int], conflicts: Injected[Conflicts], hub: Injected[SharedHub]
) -> list[Conflict]:
    """Searched on the hub's disk every 30 seconds, and when its engine tells of one."""
    return await hub.ask(conflicts.page, folder_id)


@get("/api/folders/{folder_id:int}/conflicts/content")
async def conflict_content(
    folder_id: FromPath[int],
    conflicts: Injected[Conflicts],
    hub: Injected[SharedHub],
    copy: Annotated[str, QueryParameter(min_length=1, max_length=4096)],
) -> Content:
    """Both sides, compared line by line when they are texts of at most 256 KB."""
    return await hub.ask(conflicts.content, folder_id, copy)


@post("/api/folders/{folder_id:int}/conflicts/resolve", status_code=200)
async def resolve_conflict(
    folder_id: FromPath[int],
    data: JSONBody[Resolve],
    conflicts: Injected[Conflicts],
    hub: Injected[SharedHub],
) -> Resolved:
    """On the hub's disk; its engine carries the result to every device."""
    return Resolved(await hub.ask(conflicts.resolve, folder_id, data))


ROUTES = [list_conflicts, conflict_content, resolve_conflict]
