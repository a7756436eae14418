from typing import Annotated, Any, Literal

import msgspec

from quartet.kernel.errors import Problem
from quartet.kernel.events import Event
from quartet.media.moves.types import Action, Operation, Role
from quartet.media.roots.path_encoding import encode_path
from quartet.media.types import LARGEST_ID, Id, Kind

Ids = Annotated[list[Id], msgspec.Meta(min_length=1, max_length=100_000)]


class HistoryTitle(msgspec.Struct, frozen=True):
    """The catalog entry of a file."""

    kind: Kind
    title: str
    year: int | None = None
    poster: str | None = None


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
    # Path of the replaced file.
    backup: str | None
    # Why it is not at its target, or could not be undone.
    problem: Problem | None
    # Milliseconds since 1970.
    executed_at: int
    undone_at: int | None
    # Null for a file without a match, and after its job was removed.
    match: HistoryTitle | None = None


class JobChanges(msgspec.Struct, frozen=True, rename="camel"):
    """What a job did, as far as it is not undone."""

    job_id: int
    # Videos, other main files and their companions.
    files: int
    # Everything that an undo of the job restores, also junk and pictures.
    undoable: int
    # When it began, in milliseconds since 1970.
    since: int


class HistoryPage(msgspec.Struct, frozen=True):
    """Newest first; `cursor` requests the next, older page."""

    entries: list[HistoryEntry]
    cursor: int | None
    # The whole job of the last entry, if the next page has more of it; null in a search.
    continued: JobChanges | None = None


class Undo(
    msgspec.Struct, frozen=True, rename="camel", omit_defaults=True, forbid_unknown_fields=True
):
    """Exactly one of these; `since` is in milliseconds since 1970."""

    job_id: Id | None = None
    item_ids: Ids | None = None
    operation_ids: Ids | None = None
    since: Annotated[int, msgspec.Meta(ge=0, le=LARGEST_ID)] | None = None


class NotUndone(msgspec.Struct, frozen=True):
    """`id` is the id of the history entry."""

    id: int
    code: str
    inputs: dict[str, Any] = {}


class Undone(msgspec.Struct, frozen=True):
    undone: int
    failed: list[NotUndone]


class HistoryFile(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The content of FileBot's `history.xml`."""

    xml: str


class ImportedHistory(msgspec.Struct, frozen=True):
    """Numbers of files: added, in the history already, no longer there, not in our folders."""

    added: int
    known: int
    missing: int
    outside: int


class ImportedFile(msgspec.Struct, frozen=True, rename="camel"):
    """A file that FileBot renamed, with what it probably did to it."""

    action: Action
    source: str
    target: str
    # Milliseconds since 1970.
    executed_at: int


class HistoryImportPreview(msgspec.Struct, frozen=True):
    """The same numbers as after the import, and the newest files that would be added."""

    added: int
    known: int
    missing: int
    outside: int
    files: list[ImportedFile]


class Backup(msgspec.Struct, frozen=True, rename="camel"):
    """A replaced file, or junk from a removed folder."""

    id: int
    kind: Literal["replaced", "junk"]
    path: str
    # Where the file was before.
    original: str
    # Null if it no longer exists.
    size: int | None
    executed_at: int
    # When it will be deleted; null if it is kept.
    expires_at: int | None


class ChosenBackups(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    ids: Ids


class NotDeleted(msgspec.Struct, frozen=True):
    """`id` is the id of the backup."""

    id: int
    code: str
    inputs: dict[str, Any] = {}


class DeletedBackups(msgspec.Struct, frozen=True):
    deleted: int
    failed: list[NotDeleted]


class BackupPage(msgspec.Struct, frozen=True):
    backups: list[Backup]
    cursor: int | None


class HistoryChanged(Event, frozen=True, tag="history.changed"):
    """Operations were undone or imported, or a backup deleted."""


def to_entry(row: Operation, match: HistoryTitle | None = None) -> HistoryEntry:
    return HistoryEntry(
        row.id,
        row.job_id,
        row.item_id,
        row.role,
        row.action,
        encode_path(row.source),
        encode_path(row.target),
        row.size,
        encode_path(row.backup) if row.backup else None,
        row.error,
        row.executed_at,
        row.undone_at,
        match,
    )
