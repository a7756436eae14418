import secrets
from typing import Literal

from quartet.kernel.db import Tx
from quartet.kernel.errors import AppError
from quartet.sync.agents.questions import Questions
from quartet.sync.config.service.revisions import Revisions
from quartet.sync.config.store import shares
from quartet.sync.config.types.revisions import ChangeSummary, Config
from quartet.sync.protocol import Mode
from quartet.sync.protocol.limits import LARGEST_NUMBER
from quartet.sync.repairs.types import DriftedFiles

Repair = Literal["revert", "override", "rebuild"]
# Any mode can be rebuilt.
MODES: dict[Repair, Mode] = {"revert": "receive", "override": "send"}


class Repairs:
    """Requests to revert or override changes that a folder's mode does not allow, or to add a
    folder again whose marker is missing.

    A request is part of the desired state, so an offline device performs it when it reconnects.
    """

    def __init__(self, revisions: Revisions, questions: Questions) -> None:
        self._revisions = revisions
        self._questions = questions

    async def list_drifted(self, folder_id: int, device_id: int) -> DriftedFiles:
        """Return the files that a repair would change."""
        config = self._revisions.current
        config.share(folder_id, device_id)
        folder = config.folders[folder_id].engine_folder_id
        return DriftedFiles(await self._questions.list_drifted(device_id, folder))

    async def ask(self, user: str, repair: Repair, folder_id: int, device_id: int) -> int:
        """Create a request and return its revision."""
        config = self._revisions.current
        config.share(folder_id, device_id)
        if config.devices[device_id].agentless:
            raise AppError(409, "needs_agent", device=config.devices[device_id].name)
        folder, device = config.folders[folder_id].label, config.devices[device_id].name

        def work(tx: Tx, before: Config) -> int:
            mode = before.share(folder_id, device_id).mode
            if mode != MODES.get(repair, mode):
                raise AppError(409, "wrong_mode_for_repair", folder=folder, device=device)
            # A random id: revision numbers repeat after a restored backup, but request ids must
            # not.
            shares.set_repair(tx.conn, folder_id, device_id, 1 + secrets.randbelow(LARGEST_NUMBER))
            return before.revision + 1

        what = ChangeSummary(f"{repair}_asked", {"folder": folder, "device": device})
        return await self._revisions.change(user, what, work)
