"""Counts changed files, so that a thousand new files become one entry in the activity feed."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from itertools import islice

from quartet.kernel.supervisor import BackgroundTask, every
from quartet.sync.activity.service import Activity
from quartet.sync.config.service.revisions import Revisions
from quartet.sync.engine.types import CONFLICT_MARK
from quartet.sync.hub.types import HubChange

COUNT_SECONDS = 30.0
# Number of files that are named in one entry.
MOST_NAMED = 20
# A file that changes several times counts once, unless more files than this change.
MOST_KNOWN = 10_000


@dataclass
class ChangedFiles:
    names: dict[str, None] = field(default_factory=dict)
    others: int = 0

    def add(self, path: str) -> None:
        if len(self.names) < MOST_KNOWN:
            self.names[path] = None
        elif path not in self.names:
            self.others += 1

    @property
    def count(self) -> int:
        return len(self.names) + self.others

    @property
    def first(self) -> list[str]:
        return list(islice(self.names, MOST_NAMED))


class FileChangeCounter:
    def __init__(self, activity: Activity, revisions: Revisions) -> None:
        self._activity = activity
        self._revisions = revisions
        # By engine folder id, engine id and code of the event.
        self._changed: dict[tuple[str, str, str], ChangedFiles] = {}

    def add(self, changes: Iterable[HubChange]) -> None:
        for change in changes:
            # A conflict has its own entry. Several devices may make the same copy, although only
            # one of their users changed the file.
            if change.device is not None and CONFLICT_MARK not in change.path:
                code = "files_deleted" if change.action == "deleted" else "files_changed"
                key = (change.folder, change.device, code)
                self._changed.setdefault(key, ChangedFiles()).add(change.path)

    async def record_counts(self) -> None:
        changed, self._changed = self._changed, {}
        config = self._revisions.current
        for (folder, device, code), files in changed.items():
            folder_id = config.folder_id_by_engine_id.get(folder)
            device_id = config.device_id_by_engine_id.get(device)
            if folder_id is None or device_id is None:
                continue
            shared = config.folders[folder_id]
            self._activity.record(
                "changed",
                code,
                device_id=device_id,
                folder_id=folder_id,
                device=config.devices[device_id].name,
                folder=shared.label,
                count=files.count,
                # The hub does not know the names of encrypted files.
                files=[] if shared.encrypted_on_hub else files.first,
            )


def file_changes_task(changes: FileChangeCounter) -> BackgroundTask:
    return every(COUNT_SECONDS, changes.record_counts, name="changes")
