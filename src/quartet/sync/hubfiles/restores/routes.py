from litestar import Response, get, post
from litestar.params import FromPath

from quartet.kernel.errors import AppError
from quartet.kernel.web import Injected, JSONBody, Request, identity_of
from quartet.sync.accounts.access import EDITOR, READER
from quartet.sync.hub.shared import SharedHub
from quartet.sync.hubfiles.restores.service import Restores
from quartet.sync.hubfiles.restores.types import Moment, MomentPreview, MomentRestore, Restore
from quartet.sync.hubfiles.versions.service import Versions
from quartet.sync.hubfiles.versions.types import RestoreVersion

FOLDER = "/api/folders/{folder_id:int}"


@post(f"{FOLDER}/versions/restore", status_code=202, audit="files_restored", **EDITOR)
async def restore_versions(
    request: Request,
    folder_id: FromPath[int],
    data: JSONBody[Restore],
    versions: Injected[Versions],
    restores: Injected[Restores],
    hub: Injected[SharedHub],
) -> Response[MomentRestore | None]:
    """Restore one version, or start to set everything below a path back to a time.

    With `path` and `at`, the answer is empty when the version is restored. With `before`, it is the
    operation that has been started. Replaced and removed files become versions.
    """
    user = identity_of(request).subject
    if data.before is not None and data.path is None and data.at is None:
        moment = Moment(data.before, data.below or "")
        return Response(await hub.call_owner(restores.begin, user, folder_id, moment))
    if data.path is None or data.at is None or data.before is not None or data.below:
        raise AppError(400, "invalid_request", field="before")
    version = RestoreVersion(data.path, data.at)
    await hub.call_owner(versions.restore, folder_id, version)
    return Response(None, status_code=204)


@post(f"{FOLDER}/versions/restore/preview", status_code=200, **EDITOR)
async def preview_restore(
    folder_id: FromPath[int],
    data: JSONBody[Moment],
    restores: Injected[Restores],
    hub: Injected[SharedHub],
) -> MomentPreview:
    """Return what rolling a folder back would change, without changing anything."""
    return await hub.call_owner(restores.preview, folder_id, data)


@get(f"{FOLDER}/restores", **READER)
async def list_restores(
    folder_id: FromPath[int], restores: Injected[Restores], hub: Injected[SharedHub]
) -> list[MomentRestore]:
    """List the last operations that rolled the folder back, with their progress."""
    return await hub.call_owner(restores.page, folder_id)


ROUTES = [restore_versions, preview_restore, list_restores]
