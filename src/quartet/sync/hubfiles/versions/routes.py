from typing import Annotated

from litestar import get
from litestar.params import FromPath, QueryParameter

from quartet.kernel.web import Injected
from quartet.sync.accounts.access import READER
from quartet.sync.hub.shared import SharedHub
from quartet.sync.hubfiles.versions.service import Versions
from quartet.sync.hubfiles.versions.types import VersionPage


@get("/api/folders/{folder_id:int}/versions", **READER)
async def list_versions(
    folder_id: FromPath[int],
    versions: Injected[Versions],
    hub: Injected[SharedHub],
    path: Annotated[str, QueryParameter(max_length=4096)] = "",
    cursor: Annotated[str, QueryParameter(max_length=5000)] = "",
) -> VersionPage:
    """List versions of a file, of all files below a folder, or of everything, newest first."""
    return await hub.call_owner(versions.page, folder_id, path, cursor)


ROUTES = [list_versions]
