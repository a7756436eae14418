"""Finds out which device a conflict copy came from; its name contains only the winner."""

from collections import OrderedDict
from collections.abc import Iterable

from quartet.kernel.errors import AppError
from quartet.sync.hub.types import Hub, HubChange
from quartet.sync.hubfiles.names import conflict_copy

MOST_PATHS = 20_000


class CopyOrigins:
    def __init__(self, hub: Hub) -> None:
        self._hub = hub
        # The last two devices that changed a file, by folder and path, older one first.
        self._changed_by: OrderedDict[tuple[str, str], tuple[str, ...]] = OrderedDict()

    def remember(self, changes: Iterable[HubChange]) -> None:
        hub = self._hub.state().engine_id
        for change in changes:
            if change.device in (None, hub):
                continue
            key = (change.folder, change.path)
            others = [each for each in self._changed_by.pop(key, ()) if each != change.device]
            self._changed_by[key] = (*others[-1:], change.device)
            if len(self._changed_by) > MOST_PATHS:
                self._changed_by.popitem(last=False)

    async def of(self, folder: str, copy_path: str) -> str:
        """Return an engine id, or "" if it is unknown."""
        try:
            renamed_by = await self._hub.made_by(folder, copy_path) or ""
        except AppError:
            return ""
        if renamed_by and renamed_by != self._hub.state().engine_id:
            return renamed_by
        # The hub renamed the file; its content came from the device before the winner.
        return self._device_before_winner(folder, copy_path) if renamed_by else ""

    def _device_before_winner(self, folder: str, copy_path: str) -> str:
        above, _, name = copy_path.rpartition("/")
        copy = conflict_copy(name)
        if copy is None:
            return ""
        path = f"{above}/{copy.name}" if above else copy.name
        devices = self._changed_by.get((folder, path), ())
        return next((each for each in devices[::-1] if not each.startswith(copy.winner)), "")
