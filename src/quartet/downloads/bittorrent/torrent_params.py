"""The parameters with which libtorrent starts a torrent."""

from pathlib import Path

import libtorrent as lt

from quartet.downloads.bittorrent.types import Add

RESUME = "resume"


def params_of(command: Add, boot: str) -> lt.add_torrent_params:
    """Return them for a new torrent, or for one whose resume data is of this `boot`."""
    folder = Path(command.folder)
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    if command.metainfo is None:
        params = lt.parse_magnet_uri(command.magnet)
    else:
        params = _resumed(folder, command, boot) or lt.load_torrent_buffer(command.metainfo)
        _add_sources(params, lt.parse_magnet_uri(command.magnet))
    if command.trackers is not None:
        params.trackers = command.trackers
        params.tracker_tiers = list(range(len(command.trackers)))
    params.save_path = str(folder)
    params.flags &= ~lt.torrent_flags.auto_managed & ~lt.torrent_flags.paused
    # The same torrent may be in two packages; the second waits for the first.
    params.flags |= lt.torrent_flags.duplicate_is_error
    if command.sequential:
        params.flags |= lt.torrent_flags.sequential_download
    if command.metainfo is None:
        return params
    count = params.ti.num_files() if params.ti else 0
    params.file_priorities = [command.priorities.get(index, 0) for index in range(count)]
    params.renamed_files = {index: str(index) for index in range(count)}
    if command.finished is not None:
        params.renamed_files |= command.finished
        params.total_uploaded = command.uploaded
        params.flags |= lt.torrent_flags.upload_mode
        if not command.check and all(priority for priority in params.file_priorities):
            params.flags |= lt.torrent_flags.seed_mode
    return params


def _resumed(folder: Path, command: Add, boot: str) -> lt.add_torrent_params | None:
    if command.finished is not None or command.metainfo is None:
        return None
    try:
        saved, _, data = (folder / RESUME).read_bytes().partition(b"\n")
        params = lt.read_resume_data(data) if saved == boot.encode() else None
    except (OSError, RuntimeError):
        return None
    if params is not None and params.ti is None:
        params.ti = lt.load_torrent_buffer(command.metainfo).ti
    return params


def _add_sources(params: lt.add_torrent_params, magnet: lt.add_torrent_params) -> None:
    """Add the trackers, peers and web seeds that the magnet link names."""
    params.trackers = list(dict.fromkeys([*params.trackers, *magnet.trackers]))
    params.peers = list(dict.fromkeys([*params.peers, *magnet.peers]))
    params.url_seeds = list(dict.fromkeys([*params.url_seeds, *magnet.url_seeds]))
