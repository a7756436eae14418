"""Puts right what was changed against the mode of a folder, once for each wish of a person."""

import asyncio
import logging
from collections.abc import Container
from dataclasses import dataclass
from pathlib import Path

from quartet.kernel.errors import AppError
from quartet.sync.agent.store import Store
from quartet.sync.agent.undone import Looks, looks_of, put_away
from quartet.sync.engine import Engine
from quartet.sync.engine.rest import Rest
from quartet.sync.protocol import DesiredFolder, DesiredState

log = logging.getLogger("quartet.sync.agent")


@dataclass(frozen=True)
class Undone:
    root: Path
    files: dict[str, Looks]


class Repairs:
    def __init__(self, store: Store) -> None:
        self._store = store
        # By folder. The engine fetches what belongs there when it can, perhaps much later.
        self._undone: dict[str, Undone] = {}
        # Set when a folder is different.
        self.due = asyncio.Event()

    async def fulfil(self, engine: Engine, state: DesiredState, broken: Container[str]) -> None:
        """One that fails waits for the next state."""
        receiving = {folder.id: Path(folder.path) for folder in state.folders if _receives(folder)}
        self._undone = {
            ident: each for ident, each in self._undone.items() if receiving.get(ident) == each.root
        }
        done = self._store.repaired()
        for folder in state.folders:
            if folder.id in broken or folder.repair in (0, *done.get(folder.id, ())):
                continue
            try:
                await self._repair(engine.rest, folder)
            except AppError as error:
                log.warning("folder %s is not repaired: %s", folder.id, error)
            else:
                self._store.repair(folder.id, folder.repair)

    async def _repair(self, rest: Rest, folder: DesiredFolder) -> None:
        if folder.mode == "send":
            await rest.override(folder.id)
        elif _receives(folder):
            root = Path(folder.path)
            names = await rest.local_changes(folder.id)
            files = await asyncio.to_thread(looks_of, root, names)
            # What an earlier wish was about may not be fetched yet.
            known = self._undone.get(folder.id, Undone(root, {})).files
            self._undone[folder.id] = Undone(root, known | files)
            await rest.revert(folder.id)

    async def tidy(self, engine: Engine) -> None:
        """Of what was undone the engine may have kept copies."""
        for folder, undone in list(self._undone.items()):
            status = engine.statuses.get(folder)
            if status is not None and status.drifted:
                await self._tidy(engine.rest, folder, undone)

    async def _tidy(self, rest: Rest, folder: str, undone: Undone) -> None:
        try:
            names = await rest.local_changes(folder)
            for moved in await asyncio.to_thread(put_away, undone.root, undone.files, names):
                await rest.scan(folder, moved)
        except AppError as error:
            log.warning("folder %s is not tidied: %s", folder, error)


def _receives(folder: DesiredFolder) -> bool:
    return folder.mode == "receive"
