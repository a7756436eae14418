import secrets
from typing import Literal

from quartet.kernel.db import Tx
from quartet.kernel.errors import AppError
from quartet.sync.config.service.revisions import Revisions
from quartet.sync.config.store import shares
from quartet.sync.config.types.revisions import Config, What
from quartet.sync.protocol import Mode
from quartet.sync.protocol.limits import LARGEST_NUMBER

Repair = Literal["revert", "override"]
MODES: dict[Repair, Mode] = {"revert": "receive", "override": "send"}


class Repairs:
    """Puts right a folder that drifted from what its mode allows.

    The wish is part of the desired state, so a device that is offline hears of it when it comes.
    """

    def __init__(self, revisions: Revisions) -> None:
        self._revisions = revisions

    async def ask(self, who: str, repair: Repair, folder_id: int, device_id: int) -> int:
        """Returns the revision that carries it."""
        config = self._revisions.current
        config.share(folder_id, device_id)
        folder, device = config.folders[folder_id].label, config.devices[device_id].name

        def work(tx: Tx, before: Config) -> int:
            if before.share(folder_id, device_id).mode != MODES[repair]:
                raise AppError(409, "wrong_mode_for_repair", folder=folder, device=device)
            # Revisions count anew after a backup was restored; no two wishes may have one number.
            shares.ask_repair(tx.conn, folder_id, device_id, 1 + secrets.randbelow(LARGEST_NUMBER))
            return before.revision + 1

        code = "revert_asked" if repair == "revert" else "override_asked"
        what = What(code, {"folder": folder, "device": device})
        return await self._revisions.change(who, what, work)
