from collections.abc import Callable
from pathlib import Path
from typing import Any, Literal, NamedTuple

import msgspec

from quartet.downloads.options.types import Options
from quartet.downloads.packages.types import Download, Id, LimitKib, Priority
from quartet.downloads.request_headers import RequestHeaders
from quartet.downloads.transfer import (
    CounterMode,
    ExternalProgram,
    ServerCredentials,
    may_have_secrets,
)
from quartet.kernel.errors import Problem
from quartet.kernel.events import Event

# A download that was paused with one of these errors continues when there is space again.
SPACE_ERRORS = ("no_space", "space_reserve", "disk_full")

Phase = Literal["waiting", "hashWait", "hashing", "moving", "metadata", "peers", "checking"]


class Start(
    msgspec.Struct, frozen=True, rename="camel", omit_defaults=True, forbid_unknown_fields=True
):
    """The downloads to start, or all of the package if omitted: a misspelled field is an error."""

    download_ids: list[Id] | None = None


class DownloadChange(msgspec.Struct, frozen=True, rename="camel", omit_defaults=True):
    # Replaces the name that the server gives; only until the download is finished.
    name: str | None = None
    priority: Priority | None = None
    speed_limit_kib: LimitKib | None = None


class SegmentShown(msgspec.Struct, frozen=True):
    """A byte range that one request fetches in order; `done` bytes of it have arrived."""

    start: int = msgspec.field(name="from")
    # None while the size of the file is unknown.
    end: int | None = msgspec.field(name="to")
    done: int


class Attempt(msgspec.Struct, frozen=True, rename="camel"):
    """A failed attempt; time in Unix milliseconds."""

    ended_at: int
    bytes_done: int
    error: Problem


class DownloadDetails(msgspec.Struct, frozen=True, rename="camel"):
    """A download with its segments and its failed attempts, newest first."""

    download: Download
    hash_value: str | None
    connections: int
    segments: list[SegmentShown]
    attempts: list[Attempt]


class ProgressItem(msgspec.Struct, frozen=True, rename="camel"):
    """Progress of one download; `speed` in bytes per second."""

    id: int
    bytes_done: int
    size: int | None
    speed: int
    phase: Phase | None
    # Seconds until the file is complete; null if that is unknown.
    eta: int | None
    # Empty for a file that is fetched in one piece.
    segments: list[SegmentShown] = []


class Progress(Event, frozen=True, tag="progress"):
    """Sent about once a second while downloads are running, and once after the last one ended."""

    items: list[ProgressItem]
    total_speed: int
    # Seconds until all running downloads are complete; null if that is unknown.
    eta: int | None
    # Bytes per second that torrents upload.
    upload_speed: int


class ClaimedDownload(NamedTuple):
    """A queued download with everything its task needs to know."""

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
    # The user chose the name.
    name_fixed: bool
    # Other addresses of the same file.
    mirrors: list[str] | None
    # Not null if the link must be searched for other links.
    crawl_depth: int | None
    started_now: bool
    # KiB/s, 0 means unlimited.
    limit: int
    package_limit: int
    # Given by a client; sent to the host of the link only.
    request_headers: RequestHeaders = RequestHeaders()
    # The folder of the package; None if the package has checksum lists, which must be read first.
    folder: str | None = None

    @property
    def is_plain(self) -> bool:
        """Whether the link is the address of its file and needs no resolving."""
        return self.plugin_id is None and self.crawl_depth is None

    @property
    def speed_limits(self) -> "SpeedLimits":
        return SpeedLimits(self.id, self.package_id, self.limit, self.package_limit)


class StoppedDownload(NamedTuple):
    """A download that was paused for lack of disk space; `needed` bytes were missing."""

    id: int
    size: int | None
    needed: int


class FileSource(NamedTuple):
    """The address of a file and how to fetch it."""

    url: str
    headers: dict[str, str] = {}
    cookies: dict[str, str] = {}
    # Headers and cookies that must not be sent to another host.
    own: RequestHeaders = RequestHeaders()
    # Of the servers of the address and its mirrors.
    logins: tuple[ServerCredentials, ...] = ()
    # The most connections the server allows.
    max_connections: int | None = None
    # Details from the hoster.
    name: str | None = None
    size: int | None = None
    hash_type: str | None = None
    hash_value: str | None = None
    # For files that the server stores encrypted.
    cipher: CounterMode | None = None
    # For files that need an external program instead of a plain HTTP download.
    program: ExternalProgram | None = None
    # Other addresses of the same file.
    mirrors: tuple[str, ...] = ()

    @property
    def known_details(self) -> dict[str, Any]:
        """Return the details that are known, as columns of the downloads table."""
        fields = ("name", "size", "hash_type", "hash_value")
        details = {field: getattr(self, field) for field in fields}
        return {field: value for field, value in details.items() if value is not None}

    def alone(self) -> "list[FileSource]":
        """Return each address on its own, without the secrets of the first one."""
        return [
            self._replace(
                url=url,
                mirrors=(),
                own=self.own if may_have_secrets(self.url, url) else RequestHeaders(),
            )
            for url in dict.fromkeys((self.url, *self.mirrors))
        ]


class TaskStopped(Exception):
    """The task was stopped: the download was paused or deleted."""


class ResolveError(Exception):
    """A link could not be resolved; `seconds` is the exact waiting time the hoster asked for."""

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


class FileTarget(NamedTuple):
    """The folder of a package, the checksum lists that have already arrived there, and the name
    that the user has chosen for the file.
    """

    folder: str
    lists: list[str]
    name: str | None = None


class PathRequest(NamedTuple):
    """A complete file that needs a path in the done folder."""

    id: int
    folder: str
    name: str
    size: int
    # A folder below the folder of the package, for a file of a torrent.
    below: str = ""
    # The reserved path below the done folder.
    file: str = ""


class MoveRequest(NamedTuple):
    """A complete file to be moved to a free path; `cancelled` aborts a move to another disk.

    `on_reserved` is called with the reserved path; it returns False if the file is not wanted any
    more.
    """

    wanted: PathRequest
    part: Path
    on_reserved: Callable[[str], bool]
    cancelled: Callable[[], bool]


class FinishedFile(NamedTuple):
    """A download whose file has just been moved to the done folder."""

    id: int
    package_id: int
    file: str
    hash_ok: bool | None


class MovedFile(NamedTuple):
    """A file at its path below the done folder."""

    file: str
    result: "FinishResult"


class FinishResult(NamedTuple):
    """`exists`: the download still exists. `settled`: no follow-up work is left."""

    exists: bool
    settled: bool


class FinishedSibling(NamedTuple):
    """A finished download of the same package."""

    id: int
    name: str
    file: str
    hash_ok: bool | None


class QueueSnapshot(NamedTuple):
    """The state of the queue at one point in time, as the scheduler needs it."""

    options: Options
    running: "dict[int, ActiveDownload]"
    # Whether a queued download could start if there is a free slot.
    due: bool
    # Whether one of them needs no slot.
    started_now_due: bool
    # Whether the queue stops after the running downloads.
    stopping: bool
    retry_at: int | None
    limits: "list[SpeedLimits]"


class ActiveDownload(NamedTuple):
    """A download that is active in the database; if no task runs it, its process has ended."""

    id: int
    package_id: int
    size: int | None
    file: str | None
    hash_ok: bool | None
    # The boot id at the time its file was about to be moved.
    unsynced: str | None
    torrent_file: int | None
    started_now: bool


class SpeedLimits(NamedTuple):
    """Speed limits of a download and its package in KiB/s; 0 means unlimited."""

    id: int
    package_id: int
    of_download: int
    of_package: int
