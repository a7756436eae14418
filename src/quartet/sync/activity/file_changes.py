"""Counts changed files, so that a thousand new files become one entry in the activity feed."""

from collections import Counter
from collections.abc import Iterable

from quartet.kernel.supervisor import BackgroundTask, every
from quartet.sync.activity.service import Activity
from quartet.sync.config.service.revisions import Revisions
from quartet.sync.hub.types import HubChange

COUNT_SECONDS = 30.0


class FileChangeCounter:
    def __init__(self, activity: Activity, revisions: Revisions) -> None:
        self._activity = activity
        self._revisions = revisions
        # By engine folder id and engine id.
        self._counts: Counter[tuple[str, str]] = Counter()

    def add(self, changes: Iterable[HubChange]) -> None:
        self._counts.update(
            (change.folder, change.device) for change in changes if change.device is not None
        )

    async def record_counts(self) -> None:
        counts, self._counts = self._counts, Counter()
        config = self._revisions.current
        for (folder, device), count in counts.items():
            folder_id = config.folder_id_by_engine_id.get(folder)
            device_id = config.device_id_by_engine_id.get(device)
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


def file_changes_task(changes: FileChangeCounter) -> BackgroundTask:
    return every(COUNT_SECONDS, changes.record_counts, name="changes")
