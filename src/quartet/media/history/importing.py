"""Takes over moves that another program made. Blocks; runs in its own thread."""

import os
import secrets
import stat
from collections.abc import Sequence
from collections.abc import Set as AbstractSet

from quartet.kernel.db import Tx
from quartet.kernel.errors import AppError
from quartet.media.history.filebot import FileBotMove
from quartet.media.history.types import (
    HistoryChanged,
    HistoryImportPreview,
    ImportedFile,
    ImportedHistory,
)
from quartet.media.moves import store
from quartet.media.moves.disk import Disk, identity
from quartet.media.moves.types import Action, Operation
from quartet.media.roots.folder_access import FolderAccess
from quartet.media.roots.path_encoding import encode_path

MOST_LISTED = 100


class HistoryImport:
    """Only files that are still where they were moved to are taken over, because only they can be
    moved back.
    """

    def __init__(self, access: FolderAccess) -> None:
        self._access = access
        self._disk = Disk()
        self.outside = 0
        self.missing = 0

    def operations(self, moves: Sequence[FileBotMove]) -> list[Operation]:
        try:
            found = self._following(moves)
        finally:
            self._disk.forget()
        return found

    def _following(self, moves: Sequence[FileBotMove]) -> list[Operation]:
        """Follow files that were moved several times from their last place to the first."""
        rows: list[Operation] = []
        # The file at a path before the moves that were already seen.
        earlier: dict[str, os.stat_result] = {}
        runs: dict[int, str] = {}
        for move in reversed(moves):
            if not (self._access.contains(move.source) and self._access.contains(move.target)):
                self.outside += 1
                continue
            seen = earlier.pop(move.target, None) or self._file(move.target)
            if seen is None:
                self.missing += 1
                continue
            action = self._action(move, seen)
            if action == "move":
                earlier[move.source] = seen
            run = runs.setdefault(move.at, f"filebot-{move.at}-{secrets.token_hex(4)}")
            rows.append(_operation(move, action, seen, run))
        return rows[::-1]

    def _file(self, path: str) -> os.stat_result | None:
        try:
            seen = self._disk.stat_if_exists(self._access.resolve(path))
        except (AppError, OSError):
            return None
        return seen if seen and stat.S_ISREG(seen.st_mode) else None

    def _action(self, move: FileBotMove, seen: os.stat_result) -> Action:
        """FileBot does not note whether it moved, copied or linked a file."""
        original = self._file(move.source)
        if original is None:
            return "move"
        same = (original.st_dev, original.st_ino) == (seen.st_dev, seen.st_ino)
        return "hardlink" if same else "copy"


def add_new(tx: Tx, rows: Sequence[Operation]) -> int:
    """Add the operations whose targets no operation has; return their number."""
    tx.emit(HistoryChanged())
    known = store.moved_targets(tx.conn, [row.target for row in rows])
    new = [row for row in rows if row.target not in known]
    store.add(tx.conn, new)
    return len(new)


def preview(
    found: HistoryImport, rows: Sequence[Operation], known_targets: AbstractSet[str]
) -> HistoryImportPreview:
    """List the newest files; a history may have very many."""
    new = [row for row in rows if row.target not in known_targets]
    files = [
        ImportedFile(row.action, encode_path(row.source), encode_path(row.target), row.executed_at)
        for row in new[: -MOST_LISTED - 1 : -1]
    ]
    known = len(rows) - len(new)
    return HistoryImportPreview(len(new), known, found.missing, found.outside, files)


def summary(found: HistoryImport, rows: Sequence[Operation], added: int) -> ImportedHistory:
    return ImportedHistory(added, len(rows) - added, found.missing, found.outside)


def _operation(move: FileBotMove, action: Action, seen: os.stat_result, run: str) -> Operation:
    size, mtime_ns, inode = identity(seen)
    return Operation(
        run=run,
        action=action,
        source=move.source,
        target=move.target,
        size=size,
        mtime_ns=mtime_ns,
        inode=inode,
        state="done",
        executed_at=move.at,
    )
