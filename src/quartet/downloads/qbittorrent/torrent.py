"""Shows packages as torrents."""

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from quartet.downloads.bittorrent.store import StoredTorrent
from quartet.downloads.bittorrent.types import Peer, TorrentStatus, Tracker
from quartet.downloads.qbittorrent.save_paths import parent_folder
from quartet.downloads.qbittorrent.types import LiveTotals, Shown, TorrentPackage

KIB = 1024
# What qBittorrent sends for an unknown time.
NO_ETA = 8_640_000
_ACTIVE = ("resolving", "downloading")
_FILE_PRIORITIES = {2: 7, 1: 6}

_METADATA = ("metaDL", "forcedMetaDL")
_DOWNLOADING = ("downloading", "forcedDL", *_METADATA, "stalledDL", "queuedDL", "checkingDL")
_SEEDING = ("uploading", "stalledUP")
_DONE = ("stoppedUP", "checkingUP", *_SEEDING)
_STOPPED = ("stoppedDL", "stoppedUP")
# The states that each filter of `torrents/info` selects.
FILTERS: dict[str, tuple[str, ...]] = {
    "downloading": (*_DOWNLOADING, "stoppedDL", "moving"),
    "seeding": _SEEDING,
    "completed": _DONE,
    "stopped": _STOPPED,
    "paused": _STOPPED,
    "running": (*_DOWNLOADING, *_SEEDING, "moving"),
    "resumed": (*_DOWNLOADING, *_SEEDING, "moving"),
    "active": ("downloading", "forcedDL", "uploading"),
    "inactive": ("queuedDL", "error", *_STOPPED),
    "stalled": ("stalledDL", "stalledUP"),
    "stalled_uploading": ("stalledUP",),
    "stalled_downloading": ("stalledDL",),
    "checking": ("checkingDL", "checkingUP"),
    "moving": ("moving",),
    "errored": ("error",),
}


# The states of downloads that were started without a free slot.
_FORCED = {"downloading": "forcedDL", "stalledDL": "forcedDL", "metaDL": "forcedMetaDL"}


def state_of(package: TorrentPackage, status: TorrentStatus | None = None) -> str:
    states = package.states
    if any(states.get(state) for state in _ACTIVE):
        state = _running_state(package, status) if package.torrent else "downloading"
        return _FORCED.get(state, state) if package.started_now else state
    if states.get("queued") or states.get("crawling"):
        return "queuedDL"
    if states.get("paused"):
        return "stoppedDL"
    if states.get("failed") or package.extract == "failed":
        return "error"
    # The files are not in their place before they are extracted and moved.
    if package.extract in ("pending", "running") or package.moving:
        return "moving"
    if status is not None and status.state == "checking":
        return "checkingUP"
    if status is not None:
        return "uploading" if status.upload_speed else "stalledUP"
    return "stoppedUP"


def _running_state(package: TorrentPackage, status: TorrentStatus | None) -> str:
    if status is None:
        # It is not loaded yet, or its files are moved.
        return "moving" if package.bytes_done else "stalledDL"
    if status.state in ("metadata", "checking"):
        return "metaDL" if status.state == "metadata" else "checkingDL"
    return "downloading" if status.download_speed else "stalledDL"


def progress_of(package: TorrentPackage, done: int) -> float:
    """Return the progress by size, or by files while a size is unknown."""
    total = sum(package.states.values())
    finished = package.states.get("finished", 0)
    if total and finished == total:
        return 1.0
    if package.unknown_sizes or not package.size:
        return finished / total if total else 0.0
    return min(done / package.size, 0.9999)


def _ratio_limit(own: StoredTorrent | None) -> float:
    """Return the limit of the torrent itself.

    Without one it is 0, because clients remove a stopped torrent that has reached its limits.
    """
    percent = own.ratio_limit_percent if own else None
    return -1 if percent == -1 else (percent or 0) / 100


def _minutes_limit(own: StoredTorrent | None) -> int:
    return (own.seed_limit_minutes if own else None) or 0


# Fields of qBittorrent that have no counterpart here.
_WITHOUT_COUNTERPART: Shown = {
    "auto_tmm": False,
    "availability": -1,
    "comment": "",
    "download_path": "",
    "f_l_piece_prio": False,
    "inactive_seeding_time_limit": -2,
    "infohash_v2": "",
    "max_inactive_seeding_time": -1,
    "num_complete": 0,
    "num_incomplete": 0,
    "popularity": 0,
    "reannounce": 0,
    "super_seeding": False,
    "time_active": 0,
    "tracker": "",
}


def torrent_of(package: TorrentPackage, live: LiveTotals, done: Path) -> Shown:
    own, status = package.torrent, live.status
    state = state_of(package, status)
    uploaded = max(own.uploaded if own else 0, status.uploaded if status else 0)
    completed = package.bytes_done + live.gained
    size = max(package.size, completed)
    left = max(size - completed, 0) if state not in _DONE else 0
    ended = (package.finished_at or 0) // 1000 if state in _DONE else -1
    content = str(done / package.target_dir)
    waits = state not in _DONE
    return _WITHOUT_COUNTERPART | {
        "added_on": package.created_at // 1000,
        "amount_left": left,
        "category": package.category,
        "completed": completed,
        "completion_on": ended,
        "content_path": content,
        "dl_limit": package.speed_limit_kib * KIB,
        "dlspeed": live.speed,
        "downloaded": completed,
        "downloaded_session": completed,
        "eta": left // live.speed if live.speed and left else NO_ETA if waits else 0,
        "force_start": package.started_now,
        "has_metadata": state not in _METADATA,
        "hash": package.hash,
        "infohash_v1": package.hash,
        "last_activity": (package.finished_at or package.created_at) // 1000,
        "magnet_uri": own.magnet if own else "",
        "max_ratio": _ratio_limit(own),
        "max_seeding_time": _minutes_limit(own),
        "name": package.name,
        "num_leechs": status.peers - status.seeds if status else 0,
        "num_seeds": status.seeds if status else 0,
        "priority": package.place if waits else 0,
        "private": bool(own and own.private),
        "progress": progress_of(package, completed),
        "ratio": round(uploaded / size, 3) if size else 0,
        "ratio_limit": _ratio_limit(own),
        "root_path": content,
        "save_path": str(parent_folder(done, package.target_dir)),
        "seeding_time": own.seeded_seconds if own else 0,
        "seeding_time_limit": _minutes_limit(own),
        "seen_complete": ended,
        "seq_dl": bool(own and own.sequential),
        "size": size,
        "state": state,
        "tags": ", ".join(package.tags),
        "total_size": size,
        "trackers_count": len(own.trackers or ()) if own else 0,
        "up_limit": own.upload_limit_kib * KIB if own else 0,
        "uploaded": uploaded,
        "uploaded_session": uploaded,
        "upspeed": status.upload_speed if status else 0,
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
        "has_metadata": shown["has_metadata"],
        "hash": shown["hash"],
        "infohash_v1": shown["hash"],
        "infohash_v2": "",
        "is_private": shown["private"],
        "last_seen": -1,
        "name": shown["name"],
        "nb_connections": shown["num_seeds"] + shown["num_leechs"],
        "nb_connections_limit": 0,
        "peers": shown["num_leechs"],
        "peers_total": 0,
        "piece_size": 0,
        "pieces_have": 0,
        "pieces_num": 0,
        "private": shown["private"],
        "reannounce": 0,
        "save_path": shown["save_path"],
        "seeding_time": shown["seeding_time"],
        "seeds": shown["num_seeds"],
        "seeds_total": 0,
        "share_ratio": shown["ratio"],
        "time_elapsed": 0,
        "total_downloaded": shown["downloaded"],
        "total_downloaded_session": shown["downloaded"],
        "total_size": shown["size"],
        "total_uploaded": shown["uploaded"],
        "total_uploaded_session": shown["uploaded"],
        "total_wasted": 0,
        "up_limit": shown["up_limit"] or -1,
        "up_speed": shown["upspeed"],
        "up_speed_avg": shown["upspeed"],
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
            "name": "/".join(each for each in (folder, row.torrent_path or row.name) if each),
            "piece_range": [0, 0],
            "priority": 0
            if row.status in ("paused", "skipped")
            else _FILE_PRIORITIES.get(row.priority, 1),
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


def tracker_of(tracker: Tracker, tier: int) -> Shown:
    return {
        "msg": tracker.error,
        "num_downloaded": -1,
        "num_leeches": -1 if tracker.peers is None else tracker.peers,
        "num_peers": -1,
        "num_seeds": -1 if tracker.seeds is None else tracker.seeds,
        # 1 not contacted yet, 2 working, 4 not working
        "status": {"waiting": 1, "working": 2, "failed": 4}[tracker.state],
        "tier": tier,
        "url": tracker.url,
    }


def peer_of(peer: Peer) -> Shown:
    host, _, port = peer.address.rpartition(":")
    return {
        "client": peer.client,
        "connection": "BT",
        "dl_speed": peer.download_speed,
        "downloaded": 0,
        "ip": host.strip("[]"),
        "port": int(port),
        "progress": peer.progress,
        "up_speed": peer.upload_speed,
        "uploaded": 0,
    }
