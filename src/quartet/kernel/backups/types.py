import msgspec

from quartet.kernel.errors import Problem


class BackupFile(msgspec.Struct, frozen=True, rename="camel"):
    name: str
    bytes: int
    created_at: int
    # When the file was last read back and restored to a temporary folder; null if never.
    verified_at: int | None = None
    # Why the verification failed.
    error: Problem | None = None


class PendingRestore(msgspec.Struct, frozen=True, rename="camel"):
    """A backup that replaces the data at the next start."""

    name: str
    requested_at: int


class RestoreResult(msgspec.Struct, frozen=True, rename="camel"):
    """The last restore; `previous` is where the data from before it is kept."""

    name: str
    at: int
    previous: str | None = None
    error: Problem | None = None


class BackupState(msgspec.Struct, frozen=True, rename="camel"):
    """The schedule, its state, and all backups, newest first."""

    folder: str
    # The local time of day, HH:MM; null without scheduled backups.
    time: str | None
    keep: int
    next_at: int | None
    running: bool
    overdue: bool
    # Why the last attempt failed.
    error: Problem | None
    restore: PendingRestore | None
    restored: RestoreResult | None
    backups: list[BackupFile]


class Result(msgspec.Struct, frozen=True, rename="camel"):
    """The result of a verification."""

    at: int
    error: Problem | None = None


class Record(msgspec.Struct, frozen=True, rename="camel"):
    """What is remembered about backups, in a file of the data folder.

    A file and not a table, because the record must survive a restore and a broken database.
    """

    # Nothing is due before this time.
    since: int
    attempted_at: int | None = None
    error: Problem | None = None
    # The last verified backup.
    succeeded_at: int | None = None
    results: dict[str, Result] = {}
    restore: PendingRestore | None = None
    restored: RestoreResult | None = None
