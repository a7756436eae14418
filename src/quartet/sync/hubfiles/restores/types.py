from typing import Annotated, Literal

import msgspec

from quartet.sync.hubfiles.versions.types import Path, Time

# More files are only counted.
MOST_LISTED = 1000

# "restored" brings a deleted file back, "replaced" sets its content back, and "removed" moves a
# file that did not exist at that time to the versions.
Action = Literal["restored", "replaced", "removed"]
Below = Annotated[str, msgspec.Meta(max_length=4096)]


class Restore(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One version (`path` and `at`), or everything below a path as it was right before a time.

    Without `below`, this is the whole folder, so a misspelled field is an error.
    """

    path: Path | None = None
    at: Time | None = None
    before: Time | None = None
    below: Below | None = None


class Moment(msgspec.Struct, frozen=True):
    before: Time
    below: Below = ""


class ChangedFile(msgspec.Struct, frozen=True):
    path: str
    action: Action
    # Of the file after the change; of the current file if it is removed.
    size: int
    # The restored version; None if its content is in a conflict copy or nothing is restored.
    at: int | None = None


class MomentPreview(msgspec.Struct, frozen=True):
    """What a rollback would change; more than 1,000 files are only counted."""

    restored: int
    replaced: int
    removed: int
    # Files that stay as they are.
    kept: int
    # Needed on the disk.
    bytes: int
    # The versions of that time may have been deleted.
    incomplete: bool
    files: list[ChangedFile]


class MomentRestore(msgspec.Struct, frozen=True, rename="camel"):
    """A running or finished operation; rolling back to `startedAt` undoes it."""

    id: int
    folder_id: int
    before: int
    below: str
    user: str
    started_at: int
    # None while it is running.
    ended_at: int | None = None
    # 0 until the changes are known.
    total: int = 0
    done: int = 0
    failed: int = 0
    # The code of the last failure.
    error: str = ""
