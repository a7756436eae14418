import asyncio
import logging
import time
from pathlib import Path

from msgspec.structs import replace

from quartet.kernel.db import Database, Tx
from quartet.kernel.errors import AppError
from quartet.kernel.files.beneath import Parts
from quartet.sync.activity.service import Activity
from quartet.sync.config.service.folders import Folders
from quartet.sync.config.service.revisions import Revisions
from quartet.sync.hub.types import Hub
from quartet.sync.hubfiles.folder_on_disk import FolderOnDisk, path_parts
from quartet.sync.hubfiles.rescan import rescan
from quartet.sync.hubfiles.restores import store
from quartet.sync.hubfiles.restores.apply import Progress, apply_plan
from quartet.sync.hubfiles.restores.plan import PastMoment, RestorePlan, make_plan
from quartet.sync.hubfiles.restores.types import (
    MOST_LISTED,
    ChangedFile,
    Moment,
    MomentPreview,
    MomentRestore,
)
from quartet.sync.hubfiles.versions.service import Versions

log = logging.getLogger("quartet.sync.restores")

DAY = 24 * 3600
# The clock of a file system may be a few milliseconds behind.
CLOCK_SECONDS = 0.1


class Restores:
    """Rolls folders back to an earlier time, one after the other.

    An operation is stored before it begins, and continues after a restart.
    """

    def __init__(
        self,
        db: Database,
        data: Path,
        revisions: Revisions,
        hub: Hub,
        versions: Versions,
        activity: Activity,
    ) -> None:
        self._db = db
        self._data = data
        self._folders = Folders(revisions)
        self._hub = hub
        self._versions = versions
        self._activity = activity
        # By id, for the running operation.
        self._progress: dict[int, Progress] = {}
        self.requested = asyncio.Event()

    async def preview(self, folder_id: int, moment: Moment) -> MomentPreview:
        folder = self._folders.folder(folder_id)
        place, below = FolderOnDisk(self._data, folder), _below(moment)
        past = PastMoment(moment.before, self._versions.thinned_at)
        plan = await asyncio.to_thread(make_plan, place, below, past)
        days = folder.versioning.max_age_days
        return _shown(plan, incomplete=bool(days) and moment.before < time.time() - days * DAY)

    async def begin(self, user: str, folder_id: int, moment: Moment) -> MomentRestore:
        """Start to roll a folder back; return at once."""
        folder = self._folders.folder(folder_id)
        _below(moment)
        # Raises an error for an encrypted folder.
        FolderOnDisk(self._data, folder)
        # The next full second, so that rolling the folder back to it undoes exactly this operation.
        started_at = int(time.time()) + 1

        def work(tx: Tx) -> MomentRestore | None:
            return store.add(tx.conn, folder_id, moment, user, started_at)

        made = await self._db.write(work)
        if made is None:
            raise AppError(409, "restore_running", folder=folder.label)
        log.info(
            "folder %d: %s is rolled back to %d: operation %d",
            folder_id,
            moment.below or "everything",
            moment.before,
            made.id,
        )
        self.requested.set()
        return made

    async def page(self, folder_id: int) -> list[MomentRestore]:
        """Return the last operations of a folder, newest first."""
        self._folders.folder(folder_id)
        found = await self._db.read(store.of_folder, folder_id)
        return [self._with_progress(each) for each in found]

    async def run(self) -> None:
        """Execute all operations that have not ended."""
        while True:
            self.requested.clear()
            while (unfinished := await self._db.read(store.next_unfinished)) is not None:
                await self._execute(unfinished)
            await self.requested.wait()

    async def _execute(self, restore: MomentRestore) -> None:
        folder = self._folders.folder(restore.folder_id)
        place, below = FolderOnDisk(self._data, folder), _below(restore)
        progress = self._progress[restore.id] = Progress()
        try:
            await asyncio.sleep(restore.started_at + CLOCK_SECONDS - time.time())
            past = PastMoment(restore.before, self._versions.thinned_at)
            await asyncio.to_thread(_set_back, place, below, past, progress)
            done = replace(self._with_progress(restore), ended_at=int(time.time()))
            await rescan(self._hub, folder.engine_folder_id, [restore.below])
            await self._db.write(lambda tx: store.save(tx.conn, done))
        finally:
            # The thread would continue after a shutdown.
            progress.cancelled = True
            del self._progress[restore.id]
        log.info(
            "folder %d: operation %d ended: %d files rolled back, %d failed",
            restore.folder_id,
            restore.id,
            done.done,
            done.failed,
        )
        self._activity.record(
            "restored",
            "folder_set_back",
            folder_id=folder.id,
            folder=folder.label,
            count=done.done,
            at=restore.before,
        )

    def _with_progress(self, restore: MomentRestore) -> MomentRestore:
        now = self._progress.get(restore.id)
        if now is None:
            return restore
        return replace(restore, total=now.total, done=now.done, failed=now.failed, error=now.error)


def _set_back(place: FolderOnDisk, below: Parts, past: PastMoment, progress: Progress) -> None:
    try:
        apply_plan(place, make_plan(place, below, past), past.before, progress)
    except AppError as error:
        progress.failed, progress.error = progress.failed + 1, error.code


def _below(moment: Moment | MomentRestore) -> Parts:
    return path_parts(moment.below) if moment.below else ()


def _shown(plan: RestorePlan, *, incomplete: bool) -> MomentPreview:
    actions = [step.action for step in plan.steps]
    return MomentPreview(
        restored=actions.count("restored"),
        replaced=actions.count("replaced"),
        removed=actions.count("removed"),
        kept=plan.kept,
        bytes=sum(step.size for step in plan.steps if step.source is not None),
        incomplete=incomplete,
        files=[
            ChangedFile(
                "/".join(step.path),
                step.action,
                step.size,
                step.source.at if step.source and step.source.is_version else None,
            )
            for step in plan.steps[:MOST_LISTED]
        ],
    )
