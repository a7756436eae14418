"""A plan, what came of it, and the journal. Paths are those of the system, not yet text."""

from collections.abc import Callable
from typing import Any, Literal, NamedTuple

import msgspec

from quartet.kernel.errors import Problem

Action = Literal["move", "copy", "hardlink", "reflink"]
OnConflict = Literal["skip", "overwrite", "suffix", "keep_better"]
Role = Literal["main", "companion", "junk"]
# `intended` is written before the disk is touched, `undoing` before that is undone; what is
# `expired` was junk, and is deleted for good.
RowState = Literal["intended", "done", "failed", "undoing", "undone", "expired"]


class Companion(NamedTuple):
    """A file that goes where its video goes, such as a subtitle."""

    source: str
    target: str


class Step(NamedTuple):
    source: str
    target: str
    item_id: int | None = None
    action: Action = "move"
    on_conflict: OnConflict = "skip"
    companions: tuple[Companion, ...] = ()


class Plan(NamedTuple):
    steps: tuple[Step, ...]
    job_id: int | None = None
    # Source folders that hold nothing but junk afterwards are removed.
    clean_sources: bool = True
    # Folders that stay even when they are empty, for instance watched ones.
    keep_folders: frozenset[str] = frozenset()


class Outcome(NamedTuple):
    """What came of one file; `step` is its number in the plan."""

    step: int
    item_id: int | None
    role: Role
    source: str
    # Where the file lies now, or should have gone.
    target: str
    state: Literal["done", "skipped", "failed"]
    problem: Problem | None = None


class Report(NamedTuple):
    outcomes: list[Outcome]
    cancelled: bool

    def count(self, state: str) -> int:
        return sum(outcome.state == state for outcome in self.outcomes)


class Progress(NamedTuple):
    """Files of the whole plan, and bytes of the file at hand while it is copied."""

    files: int
    files_total: int
    path: str
    bytes: int = 0
    bytes_total: int = 0


Watch = Callable[[Progress], None]
Cancelled = Callable[[], bool]
# Whether the new file (first) is better than the one that is there; nothing when they are equal.
Better = Callable[[str, str], bool | None]


class Operation(msgspec.Struct, kw_only=True):
    """One row of the journal: one file, from before it is touched until it is undone."""

    id: int = 0
    run: str
    job_id: int | None = None
    item_id: int | None = None
    role: Role = "main"
    action: Action
    source: str
    target: str
    is_folder: bool = False
    # Which file it is: as the source before, as the target afterwards.
    size: int
    mtime_ns: int
    inode: int
    # Of the whole content, where it was read anyway.
    digest: str | None = None
    # Where the file that was replaced lies.
    backup: str | None = None
    # Where the source waits while another file takes its name.
    parked: str | None = None
    # Where a copy grows until it is whole.
    temporary: str | None = None
    created_folders: list[str] = []
    state: RowState = "intended"
    error: Problem | None = None
    # Milliseconds since 1970.
    executed_at: int = 0
    undone_at: int | None = None

    def values(self) -> dict[str, Any]:
        return {name: getattr(self, name) for name in self.__struct_fields__ if name != "id"}
