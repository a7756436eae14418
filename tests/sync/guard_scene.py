"""A share of one device, the hub that it deletes files from, and the guard between them."""

import time
from typing import Any

from quartet.sync.hub.types import HubChange, HubReport, NoHub
from quartet.sync.hubfiles.guard.service import Holds
from quartet.sync.hubfiles.guard.watch import Guard
from quartet.sync.protocol import FolderStatus
from tests.sync.running_app import RunningApp


class FullHub(NoHub):
    """A hub with a given number of remaining files."""

    def __init__(self, folder: str, files: int) -> None:
        self._folders = {folder: FolderStatus("idle", files=files)}

    def state(self) -> HubReport:
        return HubReport("running", engine_id="HUB", folders=self._folders)


async def no_scan(_folder: str, _device: str) -> int:
    return 0


class Scene:
    def __init__(self, app: RunningApp, guard: Guard, folder: dict[str, Any], device: int) -> None:
        self.app, self.guard, self.folder, self.device = app, guard, folder, device
        self.engine_id = app.agents[0].engine_id

    def change(self, action: str, count: int, *, kind: str = "file", device: str = "") -> None:
        who = device or self.engine_id
        ident = self.folder["engineFolderId"]
        self.guard.handle_changes(
            HubChange(ident, who, action, f"{action} {number}", kind) for number in range(count)
        )

    async def held(self) -> bool:
        await self.guard.check()
        [share] = (await self.app.overview())["shares"]
        return bool(share.get("held"))


async def scene(app: RunningApp, left: int, **options: int) -> Scene:
    device, _ = await app.device()
    folder = await app.folder("Photos")
    await app.share(folder["id"], device, "/home/x/photos")
    given: Any = app.started.built.dependencies
    limits = {"percent": 50, "files": 50, **options}
    hub = FullHub(folder["engineFolderId"], left)
    made = (app.started.kernel.db, given["revisions"], hub, given["versions"], given["activity"])
    guard = Guard(Holds(*made), hub, None, no_scan, **limits)
    return Scene(app, guard, folder, device)


class Later:
    """The clock of the guard, some seconds ahead."""

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds

    def monotonic(self) -> float:
        return time.monotonic() + self._seconds

    def time(self) -> float:
        return time.time() + self._seconds
