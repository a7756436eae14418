from typing import Annotated, Literal, NamedTuple

import msgspec

from quartet.downloads.packages.states import Status
from quartet.kernel.errors import Problem

View = Literal["queue", "collector"]
Online = Literal["unknown", "online", "offline"]
Extract = Literal["pending", "running", "done", "failed"]

# Larger numbers are no ids: neither database nor browser would take them.
Id = Annotated[int, msgspec.Meta(ge=1, le=2**53 - 1)]
Priority = Annotated[int, msgspec.Meta(ge=-2, le=2, description="-2 lowest, 0 normal, 2 highest")]
LimitKib = Annotated[int, msgspec.Meta(ge=0, le=2**32, description="KiB/s, 0 is no limit")]


class Download(msgspec.Struct, frozen=True, rename="camel"):
    """Times in Unix milliseconds, sizes in bytes."""

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
    # Where the finished file lies in the done folder.
    file: str | None


class Summary(msgspec.Struct, frozen=True, rename="camel"):
    """All downloads of a package together, also those on other pages."""

    downloads: int = 0
    finished: int = 0
    failed: int = 0
    size: int = 0
    bytes_done: int = 0


class Package(msgspec.Struct, frozen=True, rename="camel"):
    """`priority` is what new downloads get; each has its own, which decides."""

    id: int
    name: str
    target_dir: str
    source: str
    source_page: str | None
    collector: bool
    extract: Extract | None
    extract_error: Problem | None
    created_at: int
    has_passwords: bool
    priority: int
    position: int
    speed_limit_kib: int
    summary: Summary
    downloads: list[Download]


class Page(msgspec.Struct, frozen=True, rename="camel"):
    """A package with very many downloads goes on, under the same id, on the next page."""

    packages: list[Package]
    next_cursor: str | None


class Place(NamedTuple):
    """Where a page ends: the last package and the last download seen."""

    position: int
    package_id: int
    download_position: int


class Wanted(msgspec.Struct, frozen=True):
    """Which downloads a page shows."""

    view: View
    limit: int
    after: Place | None = None
    q: str = ""
    state: Status | None = None


class PackageChange(msgspec.Struct, frozen=True, rename="camel", omit_defaults=True):
    name: str | None = None
    target_dir: str | None = None
    # A list, or text with one on each line; nothing in it removes them all.
    passwords: list[str] | str | None = None
    download_password: str | None = None
    priority: Priority | None = None
    speed_limit_kib: LimitKib | None = None


class Order(msgspec.Struct, frozen=True):
    """These, in this order, share the places they have now."""

    ids: list[Id]
