from litestar import Response, get, post

from quartet.kernel.web import Injected, JSONBody, Request, identity_of
from quartet.sync.config.types.shares import Revised
from quartet.sync.portable.service import Transfer
from quartet.sync.portable.types import Portable


@get("/api/config/export")
async def export_config(transfer: Injected[Transfer]) -> Response[Portable]:
    """Folders, devices and shares as a file; there is no secret in it."""
    name = 'attachment; filename="quartet-sync.json"'
    return Response(transfer.export(), headers={"Content-Disposition": name})


@post("/api/config/import", status_code=200)
async def import_config(
    request: Request, data: JSONBody[Portable], transfer: Injected[Transfer]
) -> Revised:
    """All of it as one revision, or nothing; devices that are not in the file stay."""
    return Revised(await transfer.take(identity_of(request).subject, data))


ROUTES = [export_config, import_config]
