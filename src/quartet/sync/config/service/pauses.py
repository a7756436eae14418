from collections.abc import Sequence

from quartet.kernel.db import Tx
from quartet.sync.config.service.revisions import Revisions, Unchanged
from quartet.sync.config.store import shares
from quartet.sync.config.types.revisions import ChangeSummary, Config
from quartet.sync.config.types.shares import SharePair


class Pauses:
    """Pauses folders on single devices.

    This is not part of a draft, and restoring a revision does not change it: a pause is about what
    happens now, not about how the devices are set up.
    """

    def __init__(self, revisions: Revisions) -> None:
        self._revisions = revisions

    async def set(self, user: str, pairs: Sequence[SharePair], *, paused: bool) -> int:
        """Pause or resume the shares as one revision; create none if nothing changes."""

        def work(tx: Tx, before: Config) -> int:
            found = [before.share(each.folder_id, each.device_id) for each in pairs]
            changed = [share for share in found if share.paused != paused]
            if not changed:
                raise Unchanged
            shares.pause(tx.conn, changed, paused)
            return before.revision + 1

        try:
            return await self._revisions.change(user, _summary, work)
        except Unchanged:
            return self._revisions.current.revision


def _summary(before: Config, after: Config) -> ChangeSummary:
    """Name the first share, and count all of them."""
    pairs = zip(before.shares, after.shares, strict=True)
    changed = [now for was, now in pairs if was.paused != now.paused]
    first = changed[0]
    inputs = {
        "count": len(changed),
        "folder": after.folders[first.folder_id].label,
        "device": after.devices[first.device_id].name,
    }
    return ChangeSummary("shares_paused" if first.paused else "shares_resumed", inputs)
