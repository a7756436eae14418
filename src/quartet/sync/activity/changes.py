"""Counts what devices change, so that a thousand new files are one line in the feed."""

from collections import Counter
from collections.abc import Iterable

from quartet.kernel.supervisor import BackgroundTask, every
from quartet.sync.activity.service import Activity
from quartet.sync.config.service.revisions import Revisions
from quartet.sync.hub.types import HubChange

COUNT_SECONDS = 30.0


class Changes:
    def __init__(self, activity: Activity, revisions: Revisions) -> None:
        self._activity = activity
        self._revisions = revisions
        # By folder and device, as the engine calls them.
        self._counts: Counter[tuple[str, str]] = Counter()

    def add(self, changes: Iterable[HubChange]) -> None:
        self._counts.update(
            (change.folder, change.device) for change in changes if change.device is not None
        )

    async def tell(self) -> None:
        counts, self._counts = self._counts, Counter()
        config = self._revisions.current
        for (folder, device), count in counts.items():
            folder_id = config.folder_numbers.get(folder)
            device_id = config.device_numbers.get(device)
            if folder_id is not None and device_id is not None:
                self._activity.record(
                    "changed",
                    "files_changed",
                    device_id=device_id,
                    folder_id=folder_id,
                    device=config.devices[device_id].name,
                    folder=config.folders[folder_id].label,
                    count=count,
                )


def changes_loop(changes: Changes) -> BackgroundTask:
    return every(COUNT_SECONDS, changes.tell, name="changes")
