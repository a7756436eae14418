from pathlib import Path

from quartet.kernel.db import Tx
from quartet.kernel.errors import AppError
from quartet.sync.config.drafts import Shares, apply_changes, difference, shares_summary
from quartet.sync.config.patterns import check_total_size
from quartet.sync.config.service.revisions import Revisions, Unchanged
from quartet.sync.config.store import shares
from quartet.sync.config.types.revisions import Config
from quartet.sync.config.types.shares import DeviceDiff, Draft, Preview


class ShareDrafts:
    """Previews and applies drafts; `data` is the server's own folder, which shares must not use."""

    def __init__(self, revisions: Revisions, data: Path) -> None:
        self._revisions = revisions
        self._data = data.absolute()

    def preview(self, draft: Draft) -> Preview:
        config = self._revisions.current
        _, diffs = self._checked(config, draft)
        return Preview(config.revision, diffs)

    async def apply(self, user: str, draft: Draft) -> int:
        """Apply the draft as one revision; create none if nothing changes."""

        def work(tx: Tx, before: Config) -> int:
            after, diffs = self._checked(before, draft)
            if not diffs:
                raise Unchanged
            _write(tx, before, after)
            shares.set_passwords(tx.conn, _passwords(draft))
            return before.revision + 1

        try:
            return await self._revisions.change(user, shares_summary, work)
        except Unchanged:
            return self._revisions.current.revision

    def _checked(self, config: Config, draft: Draft) -> tuple[Shares, list[DeviceDiff]]:
        if draft.base_revision not in (None, config.revision):
            raise AppError(409, "stale_draft", revision=config.revision)
        after, bad = apply_changes(config, draft.changes, self._data)
        if bad:
            raise AppError(422, "draft_invalid", rows=bad)
        if any(change.ignore_patterns for change in draft.changes):
            check_total_size(config.folders.values(), after.values())
        return after, difference(config.shares, after)


def _passwords(draft: Draft) -> dict[tuple[int, int], str]:
    return {
        (change.folder_id, change.device_id): change.password
        for change in draft.changes
        if change.mode == "encrypted" and change.password is not None
    }


def _write(tx: Tx, before: Config, after: Shares) -> None:
    old = {(share.folder_id, share.device_id): share for share in before.shares}
    changed = {pair for pair in old.keys() | after.keys() if old.get(pair) != after.get(pair)}
    shares.remove(tx.conn, changed & old.keys())
    shares.add(tx.conn, [after[pair] for pair in sorted(changed & after.keys())])
