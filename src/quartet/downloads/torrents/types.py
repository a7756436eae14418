from typing import Annotated

import msgspec

from quartet.downloads.bittorrent.types import Peer, State, Tracker
from quartet.downloads.packages.types import Id, LimitKib

TrackerAddress = Annotated[str, msgspec.Meta(max_length=2000)]


class TorrentDetails(msgspec.Struct, frozen=True, rename="camel"):
    """A torrent with its figures; peers are empty while it is not running.

    Speeds in bytes per second, sizes in bytes.
    """

    info_hash: str
    private: bool
    sequential: bool
    # Null while it is not running.
    state: State | None
    download_speed: int
    upload_speed: int
    uploaded: int
    # Uploaded bytes per byte of the wanted files.
    ratio: float
    upload_limit_kib: int
    peers: list[Peer]
    trackers: list[Tracker]


class TorrentChange(msgspec.Struct, frozen=True, rename="camel", omit_defaults=True):
    """Omitted fields stay unchanged."""

    # Download the pieces in order.
    sequential: bool | None = None
    # The downloads that are wanted; all other files are skipped.
    selected: list[Id] | None = None
    # All its trackers, in the order in which they are asked.
    trackers: Annotated[list[TrackerAddress], msgspec.Meta(max_length=100)] | None = None
    upload_limit_kib: LimitKib | None = None
