from collections.abc import Mapping
from typing import Annotated, Literal, NamedTuple, Protocol, runtime_checkable

import msgspec

from quartet.downloads.packages.sections import Section
from quartet.downloads.packages.states import Status
from quartet.kernel.errors import Problem
from quartet.kernel.files import safe_name

View = Literal["queue", "collector"]
Online = Literal["unknown", "online", "offline"]
Extract = Literal["pending", "running", "done", "failed"]

# Neither the databases nor browsers can represent larger ids.
Id = Annotated[int, msgspec.Meta(ge=1, le=2**53 - 1)]
Priority = Annotated[int, msgspec.Meta(ge=-2, le=2, description="-2 lowest, 0 normal, 2 highest")]
# The crawl depth of a link whose server has said that it leads to a .torrent or Metalink file or to
# a magnet link.
CONTAINER = -1
LimitKib = Annotated[int, msgspec.Meta(ge=0, le=2**32, description="KiB/s, 0 is no limit")]


class Download(msgspec.Struct, frozen=True, rename="camel"):
    """A download; times in Unix milliseconds, sizes in bytes."""

    id: int
    package_id: int
    url: str
    host: str
    plugin_id: str | None
    status: Status
    online: Online
    name: str
    size: int | None
    bytes_done: int
    error: Problem | None
    attempts: int
    retry_at: int | None
    created_at: int
    finished_at: int | None
    hash_type: str | None
    hash_ok: bool | None
    priority: int
    position: int
    speed_limit_kib: int
    # The path of the finished file, relative to the done folder.
    file: str | None
    # The path in its torrent, for a file of a torrent.
    torrent_path: str | None
    # Starts without a free slot and during a pause of the schedule, until it ends or is paused.
    started_now: bool
    section: Section


class Summary(msgspec.Struct, frozen=True, rename="camel"):
    """Totals over all downloads of a package, including those on other pages.

    Files of a torrent that are skipped do not count.
    """

    downloads: int = 0
    finished: int = 0
    failed: int = 0
    # The sum of the known sizes.
    size: int = 0
    bytes_done: int = 0
    # Downloads whose size is not known yet.
    unknown_sizes: int = 0
    # Files of a torrent that are not wanted; they do not count above.
    skipped: int = 0


class Package(msgspec.Struct, frozen=True, rename="camel"):
    """A package; `priority` is the default for its new downloads, each of which has its own."""

    id: int
    name: str
    target_dir: str
    source: str
    source_page: str | None
    collector: bool
    extract: Extract | None
    extract_error: Problem | None
    # Messages about a finished extraction, such as links that were left out.
    extract_notes: list[Problem]
    # Whether archives inside archives are extracted; null means as in the settings.
    extract_nested: bool | None
    # Finished files are being moved here from a former target folder.
    moving: bool
    created_at: int
    has_passwords: bool
    priority: int
    position: int
    speed_limit_kib: int
    # The info hash, if the package is a torrent.
    info_hash: str | None
    # Whether the finished torrent is shared.
    seeding: bool
    section: Section
    summary: Summary
    downloads: list[Download]


class PackagePage(msgspec.Struct, frozen=True, rename="camel"):
    """A page of packages. A package with many downloads continues on the next page."""

    packages: list[Package]
    next_cursor: str | None


class PageCursor(NamedTuple):
    """The end of a page: the last package and download on it."""

    position: int
    package_id: int
    download_position: int


class PageQuery(msgspec.Struct, frozen=True):
    """Filters and limits of a page."""

    # None includes both views.
    view: View | None
    # Downloads per page; None for everything.
    limit: int | None
    after: PageCursor | None = None
    q: str = ""
    state: Status | None = None


class PackageChange(msgspec.Struct, frozen=True, rename="camel", omit_defaults=True):
    name: str | None = None
    target_dir: str | None = None
    # A list, or text with one password per line; an empty value removes all passwords.
    passwords: list[str] | str | None = None
    download_password: str | None = None
    priority: Priority | None = None
    speed_limit_kib: LimitKib | None = None
    # Null means as in the settings.
    extract_nested: bool | msgspec.UnsetType | None = msgspec.UNSET


class PackageFolder(NamedTuple):
    """The target folder of a package."""

    name: str
    target_dir: str
    collector: bool
    # Former target folders from which files still have to be moved.
    moved_from: list[str]

    @property
    def is_automatic(self) -> bool:
        """Return whether the folder was named after the package."""
        return self.target_dir == safe_name(self.name)


class Order(msgspec.Struct, frozen=True):
    """The packages to reorder; they share the positions they have now."""

    ids: list[Id]


# Litestar checks the type of dependencies with isinstance.
@runtime_checkable
class LiveProgress(Protocol):
    """Knows the current bytes of running downloads; implemented by the queue."""

    def live(self) -> Mapping[int, int]:
        """Return the downloaded bytes by download id."""
        ...
