import asyncio
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass

from quartet.kernel.demo import demo_data_task
from quartet.kernel.service import Kernel
from quartet.kernel.supervisor import BackgroundTask
from quartet.sync.agents.pairing.service import Pairing
from quartet.sync.config.service.devices import Devices
from quartet.sync.config.service.folders import Folders
from quartet.sync.config.service.revisions import Revisions
from quartet.sync.config.service.shares import ShareDrafts
from quartet.sync.config.types.devices import DeviceChange
from quartet.sync.config.types.folders import NewFolder
from quartet.sync.config.types.shares import Draft, ShareChange
from quartet.sync.config.types.traffic import Traffic
from quartet.sync.demo.changes import DemoChanges
from quartet.sync.demo.device import DemoDevice
from quartet.sync.demo.files import fill_desktop, fill_laptop
from quartet.sync.demo.settings import LOOPBACK, has_engine
from quartet.sync.settings import SyncSettings

WHO = "demo"
_KIB_PER_SECOND = 40
_SLOW = Traffic(download_kib=_KIB_PER_SECOND)
_POLL_SECONDS = 0.1
_TIMEOUT_SECONDS = 120.0


@dataclass(frozen=True)
class DemoServices:
    """The services that the demo uses to set up its devices and folders."""

    revisions: Revisions
    pairing: Pairing
    devices: Devices
    folders: Folders
    shares: ShareDrafts


def demo_tasks(kernel: Kernel[SyncSettings], services: DemoServices) -> list[BackgroundTask]:
    """Return the demo's tasks; none without an engine, for which `quartet serve` prints a hint."""
    if not has_engine():
        return []
    settings = kernel.settings
    server = f"http://{LOOPBACK}:{settings.port}{settings.base_path}"
    data = settings.data.absolute()
    # Outside the data folder, where shares are not allowed.
    homes = data.with_name(f"{data.name}-devices")
    laptop = DemoDevice("Laptop", "laptop", homes / "laptop", server)
    desktop = DemoDevice("Desktop", "desktop", homes / "desktop", server)
    phone = DemoDevice("Phone", "phone", homes / "phone", server)

    async def fill() -> None:
        # Start again if an earlier attempt was interrupted before any folder was shared.
        if not services.revisions.current.folders:
            await _DemoSetup(services, server).run(laptop, desktop, phone)

    changes = DemoChanges(laptop.files, desktop.files, _KIB_PER_SECOND)
    return [
        demo_data_task(data, fill),
        changes.loop(),
        *(BackgroundTask(f"demo {each.name.lower()}", each.run) for each in (laptop, desktop)),
    ]


class _DemoSetup:
    def __init__(self, services: DemoServices, server: str) -> None:
        self._services = services
        self._server = server

    async def run(self, laptop: DemoDevice, desktop: DemoDevice, phone: DemoDevice) -> None:
        await asyncio.to_thread(fill_laptop, laptop.files)
        await asyncio.to_thread(fill_desktop, desktop.files)
        running = asyncio.create_task(phone.run())
        try:
            for device in (laptop, desktop, phone):
                await self._pair(device)
            notes = await self._added("Notes")
            await self._share(notes, "Notes", laptop, phone)
            await _until(phone.has_list, _TIMEOUT_SECONDS)
            # Share only after the hub has the laptop's list: with both on the way, the hub would
            # make a copy as well.
            await self._share(notes, "Notes", desktop)
            # Wait for the conflict first: the photos keep the desktop's connection busy for
            # minutes.
            for device in (desktop, phone):
                await _until(device.has_conflict, _TIMEOUT_SECONDS)
            await self._share(await self._added("Photos"), "Photos", laptop, desktop)
        finally:
            # From now on the phone is offline.
            running.cancel()
            await asyncio.gather(running, return_exceptions=True)

    async def _pair(self, device: DemoDevice) -> None:
        if device.name in self._ids():
            return
        enrollment = await self._services.pairing.enroll(device.name, self._server)
        device.join(enrollment.code)
        await _until(lambda: device.name in self._ids(), _TIMEOUT_SECONDS)
        traffic = _SLOW if device.kind == "desktop" else None
        change = DeviceChange(kind=device.kind, traffic=traffic)
        await self._services.devices.change(WHO, self._ids()[device.name], change)

    async def _share(self, folder: int, label: str, *devices: DemoDevice) -> None:
        changes = [
            ShareChange(folder, self._ids()[each.name], "both", str(each.files / label))
            for each in devices
        ]
        await self._services.shares.apply(WHO, Draft(changes))

    async def _added(self, label: str) -> int:
        return (await self._services.folders.add(WHO, NewFolder(label))).id

    def _ids(self) -> dict[str, int]:
        return {each.name: each.id for each in self._services.revisions.current.devices.values()}


async def _until(what: Callable[[], bool], seconds: float) -> None:
    with suppress(TimeoutError):
        async with asyncio.timeout(seconds):
            while not what():  # noqa: ASYNC110 - depends on files and other tasks
                await asyncio.sleep(_POLL_SECONDS)
