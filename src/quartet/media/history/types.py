from typing import Annotated, Any, Literal

import msgspec

from quartet.kernel.errors import Problem
from quartet.kernel.events import Event
from quartet.media.ids import LARGEST_ID, Id
from quartet.media.moves.types import Action, Operation, Role
from quartet.media.roots.texts import path_text

Ids = Annotated[list[Id], msgspec.Meta(min_length=1, max_length=100_000)]


class HistoryEntry(msgspec.Struct, frozen=True, rename="camel"):
    """One file that was moved, copied or linked."""

    id: int
    job_id: int | None
    item_id: int | None
    role: Role
    action: Action
    source: str
    target: str
    size: int
    # Where the file that was replaced lies.
    backup: str | None
    # Why it lies elsewhere than it should, or was not undone.
    problem: Problem | None
    # Milliseconds since 1970.
    executed_at: int
    undone_at: int | None


class HistoryPage(msgspec.Struct, frozen=True):
    """Newest first; `cursor` asks for what is older."""

    entries: list[HistoryEntry]
    cursor: int | None


class Undo(msgspec.Struct, frozen=True, rename="camel", omit_defaults=True):
    """Exactly one of these; `since` is in milliseconds since 1970."""

    job_id: Id | None = None
    item_ids: Ids | None = None
    operation_ids: Ids | None = None
    since: Annotated[int, msgspec.Meta(ge=0, le=LARGEST_ID)] | None = None


class NotUndone(msgspec.Struct, frozen=True):
    """`id` is that of the history entry."""

    id: int
    code: str
    inputs: dict[str, Any] = {}


class Undone(msgspec.Struct, frozen=True):
    undone: int
    failed: list[NotUndone]


class Backup(msgspec.Struct, frozen=True, rename="camel"):
    """A file that was replaced, or junk from a folder that was removed."""

    id: int
    kind: Literal["replaced", "junk"]
    path: str
    # Where it lay before.
    original: str
    # Nothing when somebody else has deleted it.
    size: int | None
    executed_at: int
    # When it is deleted for good; nothing when it is kept.
    expires_at: int | None


class BackupPage(msgspec.Struct, frozen=True):
    backups: list[Backup]
    cursor: int | None


class HistoryChanged(Event, frozen=True, tag="history.changed"):
    """Something was undone, or a backup deleted."""


def entry_of(row: Operation) -> HistoryEntry:
    return HistoryEntry(
        row.id,
        row.job_id,
        row.item_id,
        row.role,
        row.action,
        path_text(row.source),
        path_text(row.target),
        row.size,
        path_text(row.backup) if row.backup else None,
        row.error,
        row.executed_at,
        row.undone_at,
    )
