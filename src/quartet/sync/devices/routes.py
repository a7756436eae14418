from litestar import delete, patch
from litestar.params import FromPath

from quartet.kernel.web import Injected, JSONBody, Request, identity_of
from quartet.sync.devices.service import Devices
from quartet.sync.devices.types import DeviceChange


@patch("/api/devices/{device_id:int}", status_code=204)
async def change_device(
    request: Request,
    device_id: FromPath[int],
    data: JSONBody[DeviceChange],
    devices: Injected[Devices],
) -> None:
    """Name, kind, blocked, traffic, hub; a blocked device is cut off at once."""
    await devices.change(identity_of(request).subject, device_id, data)


@delete("/api/devices/{device_id:int}", status_code=204)
async def remove_device(
    request: Request, device_id: FromPath[int], devices: Injected[Devices]
) -> None:
    """Its files stay where they are."""
    await devices.remove(identity_of(request).subject, device_id)


ROUTES = [change_device, remove_device]
