"""Reverts or overrides local changes that a folder's mode does not allow, once per request."""

import asyncio
import logging
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from quartet.kernel.errors import AppError, Problem
from quartet.sync.agent.reverted_copies import FileIdentity, archive_copies, file_identities
from quartet.sync.agent.store import Store
from quartet.sync.engine import Engine
from quartet.sync.engine.rest import Rest
from quartet.sync.protocol import DesiredFolder, DesiredState

log = logging.getLogger("quartet.sync.agent")


@dataclass(frozen=True)
class RevertedFiles:
    root: Path
    files: dict[str, FileIdentity]


class FolderRepairs:
    def __init__(self, store: Store) -> None:
        self._store = store
        # By folder id. The engine may download the original files much later.
        self._reverted: dict[str, RevertedFiles] = {}
        # Set when the status of a folder changes.
        self.due = asyncio.Event()

    async def perform(
        self, engine: Engine, state: DesiredState, problems: Mapping[str, Problem]
    ) -> None:
        """Perform the pending repairs; a failed one is retried with the next state."""
        receiving = {folder.id: Path(folder.path) for folder in state.folders if _receives(folder)}
        self._reverted = {
            ident: each
            for ident, each in self._reverted.items()
            if receiving.get(ident) == each.root
        }
        done = self._store.repaired()
        for folder in state.folders:
            problem = problems.get(folder.id)
            is_done = folder.repair in (0, *done.get(folder.id, ()))
            if is_done or folder.paused or not _is_repairable(problem):
                continue
            try:
                if problem is None:
                    await self._repair(engine.rest, folder)
                else:
                    await engine.forget(folder.id)
            except AppError as error:
                log.warning("could not repair folder %s: %s", folder.id, error)
            else:
                self._store.repair(folder.id, folder.repair)

    async def _repair(self, rest: Rest, folder: DesiredFolder) -> None:
        if folder.mode == "send":
            await rest.override(folder.id)
        elif _receives(folder):
            root = Path(folder.path)
            names = [each.name for each in await rest.local_changes(folder.id)]
            files = await asyncio.to_thread(file_identities, root, names)
            # Files of an earlier request may not have been downloaded again yet.
            known = self._reverted.get(folder.id, RevertedFiles(root, {})).files
            self._reverted[folder.id] = RevertedFiles(root, known | files)
            await rest.revert(folder.id)

    async def archive_copies(self, engine: Engine) -> None:
        """Archive conflict copies that the engine made of reverted files."""
        for folder, reverted in list(self._reverted.items()):
            status = engine.statuses.get(folder)
            if status is not None and status.drifted:
                await self._archive_copies(engine.rest, folder, reverted)

    async def _archive_copies(self, rest: Rest, folder: str, reverted: RevertedFiles) -> None:
        try:
            names = [each.name for each in await rest.local_changes(folder)]
            for moved in await asyncio.to_thread(
                archive_copies, reverted.root, reverted.files, names
            ):
                await rest.scan(folder, moved)
        except AppError as error:
            log.warning("could not archive reverted copies in folder %s: %s", folder, error)


def _is_repairable(problem: Problem | None) -> bool:
    """Return True if the folder works, or lacks only its marker: it is then added as a new one."""
    return problem is None or problem.code == "marker_missing"


def _receives(folder: DesiredFolder) -> bool:
    return folder.mode == "receive"
