from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Literal, NamedTuple

import msgspec

from quartet.downloads.options.types import Options
from quartet.downloads.packages.types import Download, Id, LimitKib, Priority
from quartet.downloads.transfer import CounterMode, Program
from quartet.kernel.errors import Problem
from quartet.kernel.events import Event

Phase = Literal["hashWait", "hashing", "moving"]


class Start(msgspec.Struct, frozen=True, rename="camel", omit_defaults=True):
    """Only these downloads, or the whole package."""

    download_ids: list[Id] | None = None


class DownloadChange(msgspec.Struct, frozen=True, rename="camel", omit_defaults=True):
    priority: Priority | None = None
    speed_limit_kib: LimitKib | None = None


class SegmentShown(msgspec.Struct, frozen=True):
    """A stretch that is fetched from front to back: of its bytes the first `done` are there."""

    start: int = msgspec.field(name="from")
    # Nothing while the server has not said how long the file is.
    end: int | None = msgspec.field(name="to")
    done: int


class Attempt(msgspec.Struct, frozen=True, rename="camel"):
    """One that failed; time in Unix milliseconds."""

    ended_at: int
    bytes_done: int
    error: Problem


class DownloadDetails(msgspec.Struct, frozen=True, rename="camel"):
    """`attempts` are those that failed, the last first."""

    download: Download
    hash_value: str | None
    connections: int
    segments: list[SegmentShown]
    attempts: list[Attempt]


class ProgressItem(msgspec.Struct, frozen=True, rename="camel"):
    """`speed` in bytes per second."""

    id: int
    bytes_done: int
    size: int | None
    speed: int
    phase: Phase | None


class Progress(Event, frozen=True, tag="progress"):
    """About once a second while something runs, and once after."""

    items: list[ProgressItem]
    total_speed: int


class Claimed(NamedTuple):
    """What a run needs to know of its download."""

    id: int
    package_id: int
    url: str
    host: str
    plugin_id: str | None
    name: str
    size: int | None
    bytes_done: int
    attempts: int
    hash_type: str | None
    hash_value: str | None
    # KiB/s, 0 for none.
    limit: int
    package_limit: int


class Source(NamedTuple):
    """Where the file of a link really is."""

    url: str
    headers: dict[str, str] = {}
    cookies: dict[str, str] = {}
    # As many as its server allows.
    max_connections: int | None = None
    # What its hoster says about it.
    name: str | None = None
    size: int | None = None
    hash_type: str | None = None
    hash_value: str | None = None
    # For what its server stores encrypted.
    cipher: CounterMode | None = None
    # For what no plain download brings.
    program: Program | None = None

    @property
    def told(self) -> dict[str, Any]:
        """For the list."""
        fields = ("name", "size", "hash_type", "hash_value")
        said = {field: getattr(self, field) for field in fields}
        return {field: value for field, value in said.items() if value is not None}


class Unresolved(Exception):
    """There is no address now; with `seconds` there may be one after exactly this time."""

    def __init__(
        self,
        problem: Problem,
        *,
        retryable: bool = False,
        seconds: float | None = None,
        offline: bool = False,
    ) -> None:
        super().__init__(problem.code)
        self.problem = problem
        self.retryable = retryable
        self.seconds = seconds
        self.offline = offline


class Package(NamedTuple):
    """Where the files of a package go, and the lists of checksums that came there before."""

    folder: str
    lists: list[str]


class Move(NamedTuple):
    """A complete file on its way to a folder of the done folder."""

    id: int
    folder: str
    name: str
    size: int
    # Its place below the done folder, once there is one.
    file: str = ""


class Landing(NamedTuple):
    """A file whose place is known; `cancelled` ends a move to another disk."""

    id: int
    part: Path
    file: str
    cancelled: Callable[[], bool]


class Landed(NamedTuple):
    """A download whose file has just come to the done folder."""

    id: int
    package_id: int
    file: str
    hash_ok: bool | None


class Ended(NamedTuple):
    """False when it was deleted in the meantime; and whether nothing is left to be seen to."""

    there: bool
    settled: bool


class Sibling(NamedTuple):
    """A finished download of the same package."""

    id: int
    name: str
    file: str
    hash_ok: bool | None


class Slots(NamedTuple):
    """What may begin now: how many, and of those how many at hosts that are busy already."""

    free: int
    per_host: int
    # Downloads that run at each host.
    busy: dict[str, int]
    # Still on their way out; they cannot begin again before they have ended.
    leaving: frozenset[int]

    def full(self, busy: Mapping[str, int]) -> frozenset[str]:
        """Hosts at which nothing more may begin."""
        return frozenset(
            host for host, running in busy.items() if self.per_host and running >= self.per_host
        )


class Look(NamedTuple):
    """Everything the scheduler wants to know, as of one moment."""

    options: Options
    running: "dict[int, Lost]"
    # Whether something could begin, if there is a slot for it.
    due: bool
    retry_at: int | None
    limits: "list[Limits]"


class Lost(NamedTuple):
    """A download whose process ended while it ran."""

    id: int
    package_id: int
    size: int | None
    file: str | None
    hash_ok: bool | None
    # The start of the machine in which its file was about to be moved.
    unsynced: str | None


class Limits(NamedTuple):
    """KiB/s, 0 for none."""

    id: int
    package_id: int
    of_download: int
    of_package: int
