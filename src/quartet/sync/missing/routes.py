from litestar import get, post
from litestar.params import FromPath

from quartet.kernel.web import Injected
from quartet.sync.accounts.access import EDITOR, READER
from quartet.sync.missing.service import Missing
from quartet.sync.missing.types import ShownMissing


@get("/api/folders/{folder_id:int}/devices/{device_id:int}/missing", **READER)
async def missing_on_device(
    folder_id: FromPath[int], device_id: FromPath[int], missing: Injected[Missing]
) -> ShownMissing:
    """List the files that a device has yet to receive, and why some failed."""
    return await missing.on_device(folder_id, device_id)


@get("/api/folders/{folder_id:int}/missing", **READER)
async def missing_on_hub(folder_id: FromPath[int], missing: Injected[Missing]) -> ShownMissing:
    """List the files that the hub has yet to receive, and why some failed."""
    return await missing.on_hub(folder_id)


@post("/api/folders/{folder_id:int}/rescan", status_code=204, **EDITOR)
async def rescan_folder(folder_id: FromPath[int], missing: Injected[Missing]) -> None:
    """Scan a folder on the hub and all connected devices, and try failed files again."""
    await missing.rescan(folder_id)


ROUTES = [missing_on_device, missing_on_hub, rescan_folder]
