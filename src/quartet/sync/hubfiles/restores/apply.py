"""Sets a folder on the hub's disk back; these functions block.

Every step can be repeated: after a crash, a new plan contains only what is left to do.
"""

import logging
from contextlib import suppress
from dataclasses import dataclass

from quartet.kernel.errors import AppError
from quartet.kernel.files.beneath import Parts
from quartet.kernel.files.syscalls import birth_time
from quartet.sync.hubfiles.folder_on_disk import FolderOnDisk
from quartet.sync.hubfiles.restores.plan import RestorePlan, Step

log = logging.getLogger("quartet.sync.restores")

# With these, every other file would fail as well.
HOPELESS = ("disk_full", "no_space", "read_only")


@dataclass
class Progress:
    """Shared between the thread that works and the event loop."""

    total: int = 0
    done: int = 0
    failed: int = 0
    error: str = ""
    cancelled: bool = False


def apply_plan(folder: FolderOnDisk, plan: RestorePlan, before: int, progress: Progress) -> None:
    """Execute the steps; a file that cannot be changed is counted and left as it is."""
    progress.total = len(plan.steps)
    removed = [step for step in plan.steps if step.action == "removed"]
    # A file may have to make way for a folder, and the other way round.
    _execute(folder, removed, progress)
    _remove_emptied_folders(folder, [step.path for step in removed], before)
    _execute(folder, [step for step in plan.steps if step.action != "removed"], progress)


def _execute(folder: FolderOnDisk, steps: list[Step], progress: Progress) -> None:
    for step in steps:
        if progress.cancelled or progress.error in HOPELESS:
            return
        try:
            if step.source is None:
                folder.move_to_archive(step.path)
            else:
                folder.restore_version(step.source.root, step.source.parts, step.path)
        except AppError as error:
            progress.failed += 1
            progress.error = error.code
            log.debug("%s not %s: %s", "/".join(step.path), step.action, error)
        else:
            progress.done += 1


def _remove_emptied_folders(folder: FolderOnDisk, removed: list[Parts], before: int) -> None:
    """Delete the empty folders that did not exist at the time."""
    parents = {path[:length] for path in removed for length in range(1, len(path))}
    for parts in sorted(parents, key=len, reverse=True):
        with suppress(AppError):
            with folder.files.folder(parts) as place:
                birth = birth_time(place)
            if birth is None or birth >= before:
                folder.files.remove_folder(parts)
