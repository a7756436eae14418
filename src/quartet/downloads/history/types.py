from typing import Literal, NamedTuple

import msgspec

Period = Literal["day", "week", "month"]


class HistoryEntry(msgspec.Struct, frozen=True, rename="camel"):
    """A finished download; the time in Unix milliseconds, the size in bytes."""

    id: int
    finished_at: int
    name: str
    host: str
    url: str
    size: int | None
    package_name: str
    # Relative to the done folder, where it was when the download finished.
    file: str | None


class HistoryFile(NamedTuple):
    """What the history keeps of a download that has just finished."""

    name: str
    host: str
    url: str
    size: int | None
    # Relative to the done folder.
    file: str | None
    package_name: str


class HistoryPage(msgspec.Struct, frozen=True, rename="camel"):
    """Entries, newest first. A search may return few entries and continue at `next`."""

    entries: list[HistoryEntry]
    next: int | None


class HistoryQuery(NamedTuple):
    q: str = ""
    # Returns only entries older than this one.
    before: int | None = None
    limit: int = 100


class PeriodSum(msgspec.Struct, frozen=True):
    """What was downloaded in a period; `start` is its first day as YYYY-MM-DD."""

    start: str
    files: int
    bytes: int


class HostSum(msgspec.Struct, frozen=True):
    host: str
    files: int
    bytes: int


class HistoryStats(msgspec.Struct, frozen=True):
    """Sums by period, oldest first, and by hoster in these periods; days in local time."""

    periods: list[PeriodSum]
    hosts: list[HostSum]
    files: int
    bytes: int
