from typing import Any, NamedTuple

from quartet.downloads.bittorrent.store import StoredTorrent
from quartet.downloads.bittorrent.types import TorrentStatus
from quartet.downloads.packages.types import Extract

# A torrent as clients see it, or a part of it.
Shown = dict[str, Any]


class StoredExtras(NamedTuple):
    """What a client stored for a package."""

    hash: str
    category: str = ""
    tags: list[str] = []


class TorrentPackage(NamedTuple):
    """A package of the queue with the totals of its downloads."""

    id: int
    name: str
    target_dir: str
    extract: Extract | None
    moving: bool
    speed_limit_kib: int
    created_at: int
    hash: str
    category: str
    tags: list[str]
    # The number of downloads by state.
    states: dict[str, int]
    size: int
    bytes_done: int
    unknown_sizes: int
    finished_at: int | None
    # The place among all packages of the queue, from 1.
    place: int
    # Only for a real torrent.
    torrent: StoredTorrent | None = None
    # Whether one of its downloads needs no slot.
    started_now: bool = False


class LiveTotals(NamedTuple):
    """What the running downloads of a package add to the stored values."""

    gained: int = 0
    speed: int = 0
    # Only of a torrent.
    status: TorrentStatus | None = None


class ShareLimits(NamedTuple):
    """How long a torrent is seeded; None means as in the settings, -1 unlimited."""

    ratio_limit_percent: int | None = None
    seed_limit_minutes: int | None = None


class NewTorrents(NamedTuple):
    """The fields of `torrents/add`."""

    urls: list[str]
    # The contents of .torrent files.
    files: list[bytes] = []
    sequential: bool = False
    category: str = ""
    tags: list[str] = []
    save_path: str = ""
    name: str = ""
    cookies: str = ""
    limit_kib: int = 0
    stopped: bool = False
    on_top: bool = False
    share_limits: ShareLimits = ShareLimits()
