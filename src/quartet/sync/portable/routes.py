from litestar import Response, get, post

from quartet.kernel.web import Injected, JSONBody, Request, identity_of
from quartet.sync.config.types.shares import Revised
from quartet.sync.portable.service import Transfer
from quartet.sync.portable.types import Portable


@get("/api/config/export", audit="exported")
async def export_config(transfer: Injected[Transfer]) -> Response[Portable]:
    """Export folders, devices and shares as a file without secrets."""
    name = 'attachment; filename="quartet-sync.json"'
    return Response(transfer.export(), headers={"Content-Disposition": name})


@post("/api/config/import", status_code=200, audit="imported")
async def import_config(
    request: Request, data: JSONBody[Portable], transfer: Injected[Transfer]
) -> Revised:
    """Import a file as one revision, or not at all; devices that are not in the file are kept."""
    return Revised(await transfer.import_file(identity_of(request).subject, data))


ROUTES = [export_config, import_config]
