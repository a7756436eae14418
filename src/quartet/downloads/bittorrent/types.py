"""The messages between the service and the torrent process, one JSON object per line."""

from typing import Literal

import msgspec

from quartet.kernel.errors import Problem

State = Literal["metadata", "checking", "downloading", "seeding"]


class TorrentFile(msgspec.Struct, frozen=True):
    """A file of a torrent; `index` counts all files, including padding, which is not listed."""

    index: int
    # Below the folder of the torrent, separated by "/".
    path: str
    size: int


class Metainfo(msgspec.Struct, frozen=True):
    """The content of a .torrent file that Quartet uses."""

    name: str
    info_hash: str
    private: bool
    files: list[TorrentFile]
    trackers: list[str]


class SessionSettings(msgspec.Struct, frozen=True, kw_only=True):
    """Limits in bytes per second; 0 means unlimited."""

    download_limit: int = 0
    upload_limit: int = 0
    proxy: str | None = None
    dht: bool = True
    # 0 is any free port.
    port: int = 0
    # As for `AddressPolicy`.
    allow_private: bool | list[str] = False
    block_list: str | None = None


class Configure(msgspec.Struct, frozen=True, tag="configure"):
    settings: SessionSettings


class Parse(msgspec.Struct, frozen=True, tag="parse"):
    request: int
    content: bytes


class Add(msgspec.Struct, frozen=True, tag="add", kw_only=True):
    """Start a torrent. `id` is chosen by the service; its messages carry it."""

    id: int
    # A magnet link, used until the metainfo is known.
    magnet: str
    metainfo: bytes | None = None
    # The working folder: the files, named by their index, and the resume data.
    folder: str
    # By file index, from 0 (skip) to 7; files that are not listed are skipped.
    priorities: dict[int, int] = {}
    sequential: bool = False
    download_limit: int = 0
    # Seed the finished files with these absolute paths by file index; download nothing.
    finished: dict[int, str] | None = None
    # Only check the finished files, and report `Checked`.
    check: bool = False
    # Bytes that were uploaded before.
    uploaded: int = 0
    # None means those that the torrent names.
    trackers: list[str] | None = None
    upload_limit: int = 0


class Change(msgspec.Struct, frozen=True, tag="change", kw_only=True):
    id: int
    priorities: dict[int, int]
    sequential: bool
    download_limit: int


class ChangeSharing(msgspec.Struct, frozen=True, tag="change sharing", kw_only=True):
    """Change what also applies while a torrent is seeded."""

    id: int
    trackers: list[str] | None
    upload_limit: int


class Announce(msgspec.Struct, frozen=True, tag="announce"):
    """Ask all trackers for peers now."""

    id: int


class Recheck(msgspec.Struct, frozen=True, tag="recheck"):
    """Check all files of a running torrent, then continue with what is missing or damaged."""

    id: int


class Remove(msgspec.Struct, frozen=True, tag="remove"):
    """Save the resume data of a torrent and stop it."""

    id: int


class Describe(msgspec.Struct, frozen=True, tag="describe"):
    request: int
    id: int


Command = Configure | Parse | Add | Change | ChangeSharing | Announce | Recheck | Remove | Describe


class Parsed(msgspec.Struct, frozen=True, tag="parsed"):
    """The answer to `Parse`; None for a damaged file."""

    request: int
    metainfo: Metainfo | None


class Peer(msgspec.Struct, frozen=True, rename="camel"):
    """A connected peer; speeds in bytes per second, progress from 0 to 1."""

    address: str
    client: str
    download_speed: int
    upload_speed: int
    progress: float


class Tracker(msgspec.Struct, frozen=True, rename="camel"):
    """A tracker with its last error, if any: in English, and as a problem if it is a known one."""

    url: str
    state: Literal["waiting", "working", "failed"]
    error: str
    problem: Problem | None
    seeds: int | None
    peers: int | None


class Described(msgspec.Struct, frozen=True, tag="described"):
    request: int
    peers: list[Peer]
    trackers: list[Tracker]


class TorrentStatus(msgspec.Struct, frozen=True):
    """The current figures of a running torrent; speeds in bytes per second."""

    id: int
    state: State
    # Bytes by file index; empty until the metainfo is known.
    done: dict[int, int]
    download_speed: int
    upload_speed: int
    # In total, including earlier runs.
    uploaded: int
    peers: int
    seeds: int


class Statuses(msgspec.Struct, frozen=True, tag="statuses"):
    torrents: list[TorrentStatus]


class MetainfoArrived(msgspec.Struct, frozen=True, tag="metainfo"):
    id: int
    content: bytes
    metainfo: Metainfo


class Completed(msgspec.Struct, frozen=True, tag="completed"):
    """All wanted files are complete and on the disk; the torrent was removed."""

    id: int
    uploaded: int


class FilesChecked(msgspec.Struct, frozen=True, tag="checked"):
    """The finished files were checked and the torrent was removed; `damaged` are file indexes."""

    id: int
    damaged: list[int]


class Removed(msgspec.Struct, frozen=True, tag="removed"):
    id: int


class Broken(msgspec.Struct, frozen=True, tag="broken"):
    """The torrent cannot continue and was removed."""

    id: int
    problem: Problem


Message = (
    Parsed | Described | Statuses | MetainfoArrived | Completed | FilesChecked | Removed | Broken
)
