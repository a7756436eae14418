import asyncio
from contextlib import suppress

from quartet.kernel.errors import AppError
from quartet.sync.agents.service import Agents
from quartet.sync.config.desired import MAIN
from quartet.sync.config.service.revisions import Revisions
from quartet.sync.config.types.folders import Folder
from quartet.sync.hub.service import Hubs
from quartet.sync.missing.types import ShownMissing
from quartet.sync.protocol import MissingFiles


class Missing:
    """Files that a device or the hub has yet to receive, and another attempt to receive them."""

    def __init__(self, revisions: Revisions, agents: Agents, hubs: Hubs) -> None:
        self._revisions = revisions
        self._agents = agents
        self._hubs = hubs

    async def on_device(self, folder_id: int, device_id: int) -> ShownMissing:
        config = self._revisions.current
        config.share(folder_id, device_id)
        folder, device = config.folders[folder_id], config.devices[device_id]
        found = None
        if not device.agentless and self._agents.is_online(device_id):
            found = await self._agents.questions.list_missing(device_id, folder.engine_folder_id)
        if not (found and found.files) and not folder.encrypted_on_hub:
            # The hub knows the names also while the device is offline, and those of files that it
            # could not receive itself, but no reasons.
            hub = self._hubs.by_name[device.hub]
            with suppress(AppError):
                found = await hub.call_owner(
                    self.known_to_hub, device.hub, folder.engine_folder_id, device.engine_id
                )
        return ShownMissing(found.files, found.more) if found else ShownMissing(None)

    async def on_hub(self, folder_id: int) -> ShownMissing:
        folder = self._folder(folder_id)
        if folder.encrypted_on_hub:
            raise AppError(409, "encrypted_on_hub", folder=folder.label)
        main = self._hubs.by_name[MAIN]
        found = await main.call_owner(self.of_hub, folder.engine_folder_id)
        return ShownMissing(found.files, found.more)

    async def rescan(self, folder_id: int) -> None:
        """Let the hub and all connected devices scan the folder and try failed files again."""
        folder = self._folder(folder_id).engine_folder_id
        devices = [
            share.device_id
            for share in self._revisions.current.shares
            if share.folder_id == folder_id and self._agents.is_online(share.device_id)
        ]
        hub = self._hubs.by_name[MAIN].call_owner(self.rescan_hub, folder)
        results = await asyncio.gather(
            hub,
            *(self._agents.questions.rescan(each, folder) for each in devices),
            return_exceptions=True,
        )
        for result in results:
            if isinstance(result, BaseException) and not isinstance(result, AppError):
                raise result

    async def of_hub(self, folder: str) -> MissingFiles:
        return await self._hubs.by_name[MAIN].missing(folder)

    async def known_to_hub(self, hub: str, folder: str, engine_id: str) -> MissingFiles:
        return await self._hubs.by_name[hub].missing_on(folder, engine_id)

    async def rescan_hub(self, folder: str) -> None:
        await self._hubs.by_name[MAIN].rescan(folder)

    def _folder(self, folder_id: int) -> Folder:
        folder = self._revisions.current.folders.get(folder_id)
        if folder is None:
            raise AppError(404, "folder_not_found", id=folder_id)
        return folder
