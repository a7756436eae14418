"""Describes downloads as aria2 does: every number is text."""

from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from typing import Any

from quartet.downloads.aria2.types import Aria2Download, Aria2Status
from quartet.downloads.bittorrent.types import Peer, TorrentStatus
from quartet.downloads.packages.states import Status
from quartet.downloads.packages.types import Download
from quartet.downloads.queue.types import SPACE_ERRORS
from quartet.downloads.transfer import Snapshot

PIECE = 1024 * 1024
# Longer bit fields would make each answer large.
_MOST_PIECES = 16 * 1024

STATUSES: dict[Status, Aria2Status] = {
    "queued": "waiting",
    "crawling": "waiting",
    "resolving": "active",
    "downloading": "active",
    "paused": "paused",
    "finished": "complete",
    "failed": "error",
}
ACTIVE: tuple[Status, ...] = ("resolving", "downloading")
WAITING: tuple[Status, ...] = ("queued", "crawling", "paused")
STOPPED: tuple[Status, ...] = ("finished", "failed")

_ERRORS = {
    "stalled": 2,
    "file_offline": 3,
    "network_error": 6,
    "range_ignored": 8,
    **dict.fromkeys(SPACE_ERRORS, 9),
    "server_error": 22,
    "too_many_redirects": 23,
    "forbidden_by_server": 24,
    "busy": 29,
    "hash_wrong": 32,
}
_UNKNOWN_ERROR, REMOVED = 1, 31


def status_of(found: Aria2Download, snapshot: Snapshot | None, done: Path) -> dict[str, Any]:
    """Return all fields of `tellStatus`."""
    download = found.download
    status = STATUSES.get(download.status, "waiting")
    size = snapshot.size if snapshot and snapshot.size is not None else download.size
    completed = snapshot.bytes_done if snapshot else download.bytes_done
    total = size if size is not None else completed
    pieces = -(-total // PIECE)
    shown: dict[str, Any] = {
        "gid": found.gid,
        "status": status,
        "totalLength": str(total),
        "completedLength": str(completed),
        "uploadLength": "0",
        "downloadSpeed": str(round(snapshot.speed)) if snapshot else "0",
        "uploadSpeed": "0",
        "connections": str(snapshot.connections) if snapshot else "0",
        "numPieces": str(pieces),
        "pieceLength": str(PIECE),
        "dir": str(_folder(found, done)),
        "files": files_of(found, snapshot, done),
    }
    if status == "complete":
        shown["errorCode"] = "0"
    if download.error is not None and status == "error":
        shown["errorCode"] = str(_ERRORS.get(download.error.code, _UNKNOWN_ERROR))
        shown["errorMessage"] = _error_text(download.error.code, download.error.inputs)
    if 0 < pieces <= _MOST_PIECES:
        spans = snapshot.segments if snapshot else ((0, completed, total),)
        shown["bitfield"] = bitfield(spans, pieces, total)
    return shown


def torrent_status(
    found: Aria2Download,
    snapshots: Mapping[int, Snapshot],
    done: Path,
    running: TorrentStatus | None,
) -> dict[str, Any]:
    """Return all fields of `tellStatus` for a torrent; skipped files do not count."""
    wanted = [each for each in found.files if each.status != "skipped"]
    completed = sum(_done_bytes(each, snapshots) for each in wanted)
    shown = status_of(found, None, done)
    files = [
        _torrent_file(found, each, index, _done_bytes(each, snapshots), done)
        for index, each in enumerate(found.files, start=1)
    ]
    speed = sum(snapshots[each.id].speed for each in wanted if each.id in snapshots)
    named = found.download.torrent_path is not None
    bittorrent: dict[str, Any] = {
        "announceList": [],
        "mode": "multi" if len(files) > 1 else "single",
    }
    if named:
        bittorrent["info"] = {"name": Path(found.target_dir).name or found.download.name}
    shown.pop("bitfield", None)
    return {
        **shown,
        "totalLength": str(sum(each.size or 0 for each in wanted)),
        "completedLength": str(completed),
        "uploadLength": str(running.uploaded if running else 0),
        "downloadSpeed": str(round(speed)),
        "uploadSpeed": str(running.upload_speed if running else 0),
        "connections": str(running.peers if running else 0),
        "numSeeders": str(running.seeds if running else 0),
        "seeder": "true" if running and running.state == "seeding" else "false",
        "infoHash": found.info_hash,
        "bittorrent": bittorrent,
        "files": files,
    }


def peer_of(peer: Peer) -> dict[str, str]:
    host, _, port = peer.address.rpartition(":")
    return {
        "peerId": "",
        "ip": host.strip("[]"),
        "port": port,
        "bitfield": "",
        "amChoking": "false",
        "peerChoking": "false",
        "downloadSpeed": str(peer.download_speed),
        "uploadSpeed": str(peer.upload_speed),
        "seeder": "true" if peer.progress >= 1 else "false",
    }


def _done_bytes(download: Download, snapshots: Mapping[int, Snapshot]) -> int:
    now = snapshots.get(download.id)
    return now.bytes_done if now else download.bytes_done


def _torrent_file(
    found: Aria2Download, download: Download, index: int, completed: int, done: Path
) -> dict[str, Any]:
    below = download.torrent_path or download.name
    path = done.absolute() / download.file if download.file else _folder(found, done) / below
    return {
        "index": str(index),
        "path": str(path) if download.torrent_path else f"[METADATA]{download.name}",
        "length": str(download.size or 0),
        "completedLength": str(completed),
        "selected": "false" if download.status == "skipped" else "true",
        "uris": [],
    }


def removed_status(shown: Mapping[str, Any]) -> dict[str, Any]:
    """Return the last status of a download that a client removed."""
    return {**shown, "status": "removed", "errorCode": str(REMOVED), "downloadSpeed": "0"}


def files_of(found: Aria2Download, snapshot: Snapshot | None, done: Path) -> list[dict[str, Any]]:
    download = found.download
    size = snapshot.size if snapshot and snapshot.size is not None else download.size
    completed = snapshot.bytes_done if snapshot else download.bytes_done
    path = (
        done.absolute() / download.file if download.file else _folder(found, done) / download.name
    )
    return [
        {
            "index": "1",
            "path": str(path),
            "length": str(size if size is not None else completed),
            "completedLength": str(completed),
            "selected": "true",
            "uris": uris_of(found),
        }
    ]


def uris_of(found: Aria2Download) -> list[dict[str, str]]:
    used = {"uri": found.download.url, "status": "used"}
    return [used, *({"uri": uri, "status": "waiting"} for uri in found.uris)]


def only_keys(shown: dict[str, Any], keys: Collection[str]) -> dict[str, Any]:
    return {key: value for key, value in shown.items() if key in keys} if keys else shown


def bitfield(spans: Sequence[tuple[int, int, int | None]], pieces: int, total: int) -> str:
    """Return one bit per piece, highest bit first: whether the piece is complete."""
    have = [0] * pieces
    for start, position, _ in spans:
        for piece in range(start // PIECE, min(-(-position // PIECE), pieces)):
            low, high = piece * PIECE, min((piece + 1) * PIECE, total)
            have[piece] += max(0, min(position, high) - max(start, low))
    bits = [
        have[piece] >= min((piece + 1) * PIECE, total) - piece * PIECE for piece in range(pieces)
    ]
    digits = -(-pieces // 4)
    value = sum(bit << (digits * 4 - 1 - place) for place, bit in enumerate(bits))
    return f"{value:0{digits}x}"


def _folder(found: Aria2Download, done: Path) -> Path:
    return done.absolute() / found.target_dir if found.target_dir else done.absolute()


def _error_text(code: str, inputs: Mapping[str, Any]) -> str:
    named = ", ".join(f"{name}={value}" for name, value in inputs.items())
    return f"{code} ({named})" if named else code
