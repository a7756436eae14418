"""A plan, its outcome and the journal. Paths are system paths, not encoded text."""

from collections.abc import Callable
from typing import Any, Literal, NamedTuple

import msgspec

from quartet.kernel.errors import Problem

Action = Literal["move", "copy", "hardlink", "reflink"]
OnConflict = Literal["skip", "overwrite", "suffix", "keep_better"]
# What may be removed with its folder: nothing, files of file managers, or also those of releases.
JunkKind = Literal["none", "system", "release"]
# `artwork` is a file that this service wrote: NFO files, pictures and subtitles. Undoing it deletes
# it.
Role = Literal["main", "companion", "junk", "artwork"]
# `intended` is written before the disk is changed, `undoing` before an undo; `expired` is deleted
# junk.
OperationState = Literal["intended", "done", "failed", "undoing", "undone", "expired"]


class CompanionMove(NamedTuple):
    """A file that moves with its video, such as a subtitle."""

    source: str
    target: str


class Step(NamedTuple):
    source: str
    target: str
    item_id: int | None = None
    action: Action = "move"
    on_conflict: OnConflict = "skip"
    companions: tuple[CompanionMove, ...] = ()
    role: Literal["main", "artwork"] = "main"


class Plan(NamedTuple):
    steps: tuple[Step, ...]
    job_id: int | None = None
    # Remove source folders afterwards that are empty or contain only this junk.
    clean_sources: bool = True
    junk: JunkKind = "release"
    # Folders that stay even if empty, such as watched ones.
    keep_folders: frozenset[str] = frozenset()


class Outcome(NamedTuple):
    """The outcome for one file; `step` is its index in the plan."""

    step: int
    item_id: int | None
    role: Role
    source: str
    # Where the file is now, or where it should have gone.
    target: str
    state: Literal["done", "skipped", "failed"]
    problem: Problem | None = None


class LeftFolder(msgspec.Struct, frozen=True):
    """A source folder without videos that stays because of files of others."""

    path: str
    # The first names; those of folders end with a slash.
    names: tuple[str, ...]
    more: int


class Cleaned(msgspec.Struct, frozen=True):
    """What became of the source folders: how many files of junk were removed, and what stays."""

    removed: int = 0
    left: tuple[LeftFolder, ...] = ()
    # When the junk will be deleted, in milliseconds since 1970.
    until: int | None = None


class MoveReport(NamedTuple):
    outcomes: list[Outcome]
    cancelled: bool
    cleaned: Cleaned = Cleaned()

    def count(self, state: str) -> int:
        return sum(outcome.state == state for outcome in self.outcomes)


class MoveProgress(NamedTuple):
    """Files of the whole plan, and bytes of the file being copied."""

    files: int
    files_total: int
    path: str
    bytes: int = 0
    bytes_total: int = 0


ProgressCallback = Callable[[MoveProgress], None]
IsCancelled = Callable[[], bool]
# Whether the new file (first) is better than the existing one; None if equal.
IsBetter = Callable[[str, str], bool | None]


class Operation(msgspec.Struct, kw_only=True):
    """One row of the journal: one file, from before it is moved until it is undone."""

    id: int = 0
    run: str
    job_id: int | None = None
    item_id: int | None = None
    role: Role = "main"
    action: Action
    source: str
    target: str
    is_folder: bool = False
    # The identity of the source before the operation, of the target afterwards.
    size: int
    mtime_ns: int
    inode: int
    # Digest of the content, if it was read.
    digest: str | None = None
    # Path of the replaced file.
    backup: str | None = None
    # Path of the source while another file takes its name.
    parked: str | None = None
    # Path of an unfinished copy.
    temporary: str | None = None
    created_folders: list[str] = []
    state: OperationState = "intended"
    error: Problem | None = None
    # Milliseconds since 1970.
    executed_at: int = 0
    undone_at: int | None = None

    def values(self) -> dict[str, Any]:
        return {name: getattr(self, name) for name in self.__struct_fields__ if name != "id"}
