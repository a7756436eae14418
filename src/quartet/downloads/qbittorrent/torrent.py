"""Shows packages as torrents."""

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from quartet.downloads.qbittorrent.save_paths import parent_folder
from quartet.downloads.qbittorrent.types import LiveTotals, Shown, TorrentPackage

KIB = 1024
# What qBittorrent sends for an unknown time.
NO_ETA = 8_640_000
_ACTIVE = ("resolving", "downloading")
_FILE_PRIORITIES = {2: 7, 1: 6}

_DOWNLOADING = ("downloading", "forcedDL", "metaDL", "stalledDL", "queuedDL", "checkingDL")
_DONE = ("stoppedUP",)
_STOPPED = ("stoppedDL", "stoppedUP")
# The states that each filter of `torrents/info` selects.
FILTERS: dict[str, tuple[str, ...]] = {
    "downloading": (*_DOWNLOADING, "stoppedDL", "moving"),
    "seeding": (),
    "completed": _DONE,
    "stopped": _STOPPED,
    "paused": _STOPPED,
    "running": (*_DOWNLOADING, "moving"),
    "resumed": (*_DOWNLOADING, "moving"),
    "active": ("downloading",),
    "inactive": ("queuedDL", "error", *_STOPPED),
    "stalled": ("stalledDL",),
    "stalled_uploading": (),
    "stalled_downloading": ("stalledDL",),
    "checking": (),
    "moving": ("moving",),
    "errored": ("error",),
}


def state_of(package: TorrentPackage) -> str:
    states = package.states
    if any(states.get(state) for state in _ACTIVE):
        return "downloading"
    if states.get("queued") or states.get("crawling"):
        return "queuedDL"
    if states.get("paused"):
        return "stoppedDL"
    if states.get("failed") or package.extract == "failed":
        return "error"
    # The files are not in their place before they are extracted and moved.
    if package.extract in ("pending", "running") or package.moving:
        return "moving"
    return "stoppedUP"


def progress_of(package: TorrentPackage, done: int) -> float:
    """Return the progress by size, or by files while a size is unknown."""
    total = sum(package.states.values())
    finished = package.states.get("finished", 0)
    if total and finished == total:
        return 1.0
    if package.unknown_sizes or not package.size:
        return finished / total if total else 0.0
    return min(done / package.size, 0.9999)


def torrent_of(package: TorrentPackage, live: LiveTotals, done: Path) -> Shown:
    state = state_of(package)
    completed = package.bytes_done + live.gained
    size = max(package.size, completed)
    left = max(size - completed, 0) if state != "stoppedUP" else 0
    ended = (package.finished_at or 0) // 1000 if state == "stoppedUP" else -1
    content = str(done / package.target_dir)
    waits = state not in _DONE
    return {
        "added_on": package.created_at // 1000,
        "amount_left": left,
        "auto_tmm": False,
        "availability": -1,
        "category": package.category,
        "comment": "",
        "completed": completed,
        "completion_on": ended,
        "content_path": content,
        "dl_limit": package.speed_limit_kib * KIB,
        "dlspeed": live.speed,
        "download_path": "",
        "downloaded": completed,
        "downloaded_session": completed,
        "eta": left // live.speed if live.speed and left else NO_ETA if waits else 0,
        "f_l_piece_prio": False,
        "force_start": False,
        "has_metadata": True,
        "hash": package.hash,
        "inactive_seeding_time_limit": -2,
        "infohash_v1": package.hash,
        "infohash_v2": "",
        "last_activity": (package.finished_at or package.created_at) // 1000,
        "magnet_uri": "",
        "max_inactive_seeding_time": -1,
        # Nothing is uploaded, so the limits of seeding are reached at once.
        "max_ratio": 0,
        "max_seeding_time": 0,
        "name": package.name,
        "num_complete": 0,
        "num_incomplete": 0,
        "num_leechs": 0,
        "num_seeds": 0,
        "popularity": 0,
        "priority": package.place if waits else 0,
        "private": False,
        "progress": progress_of(package, completed),
        "ratio": 0,
        "ratio_limit": 0,
        "reannounce": 0,
        "root_path": content,
        "save_path": str(parent_folder(done, package.target_dir)),
        "seeding_time": 0,
        "seeding_time_limit": 0,
        "seen_complete": ended,
        "seq_dl": False,
        "size": size,
        "state": state,
        "super_seeding": False,
        "tags": ", ".join(package.tags),
        "time_active": 0,
        "total_size": size,
        "tracker": "",
        "trackers_count": 0,
        "up_limit": 0,
        "uploaded": 0,
        "uploaded_session": 0,
        "upspeed": 0,
    }


def properties_of(shown: Shown) -> Shown:
    return {
        "addition_date": shown["added_on"],
        "comment": "",
        "completion_date": shown["completion_on"],
        "created_by": "",
        "creation_date": shown["added_on"],
        "dl_limit": shown["dl_limit"] or -1,
        "dl_speed": shown["dlspeed"],
        "dl_speed_avg": shown["dlspeed"],
        "download_path": "",
        "eta": shown["eta"],
        "has_metadata": True,
        "hash": shown["hash"],
        "infohash_v1": shown["hash"],
        "infohash_v2": "",
        "is_private": False,
        "last_seen": -1,
        "name": shown["name"],
        "nb_connections": 0,
        "nb_connections_limit": 0,
        "peers": 0,
        "peers_total": 0,
        "piece_size": 0,
        "pieces_have": 0,
        "pieces_num": 0,
        "private": False,
        "reannounce": 0,
        "save_path": shown["save_path"],
        "seeding_time": 0,
        "seeds": 0,
        "seeds_total": 0,
        "share_ratio": 0,
        "time_elapsed": 0,
        "total_downloaded": shown["downloaded"],
        "total_downloaded_session": shown["downloaded"],
        "total_size": shown["size"],
        "total_uploaded": 0,
        "total_uploaded_session": 0,
        "total_wasted": 0,
        "up_limit": -1,
        "up_speed": 0,
        "up_speed_avg": 0,
    }


def files_of(
    package: TorrentPackage, rows: Iterable[Any], live: Mapping[int, int]
) -> list[dict[str, Any]]:
    """Return the files; their names are relative to the save path."""
    folder = Path(package.target_dir).name
    return [
        {
            "availability": 1,
            "index": index,
            "is_seed": row.status == "finished",
            "name": f"{folder}/{row.name}" if folder else row.name,
            "piece_range": [0, 0],
            "priority": 0 if row.status == "paused" else _FILE_PRIORITIES.get(row.priority, 1),
            "progress": _file_progress(row, live.get(row.id, row.bytes_done)),
            "size": row.size or live.get(row.id, row.bytes_done),
        }
        for index, row in enumerate(rows)
    ]


def _file_progress(row: Any, done: int) -> float:
    if row.status == "finished":
        return 1.0
    return min(done / row.size, 0.9999) if row.size else 0.0


def matches(shown: Shown, filter: str) -> bool:
    """Return whether a torrent belongs to a filter; unknown filters select everything."""
    return filter not in FILTERS or shown["state"] in FILTERS[filter]
