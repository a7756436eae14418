"""Reads .torrent files, in the torrent process."""

from collections.abc import Sequence

import libtorrent as lt

from quartet.downloads.bittorrent.types import Metainfo, TorrentFile

_HIDDEN = lt.file_flags_t.flag_pad_file | lt.file_flags_t.flag_symlink


def metainfo_of(content: bytes) -> Metainfo | None:
    """Return the content of a .torrent file, or None if it is damaged."""
    try:
        params = lt.load_torrent_buffer(content)
    except (RuntimeError, ValueError):
        return None
    info = params.ti
    if info is None or not info.is_valid():
        return None
    files = info.files()
    folder = f"{info.name()}/"
    shown = [
        TorrentFile(index, files.file_path(index).removeprefix(folder), files.file_size(index))
        for index in range(files.num_files())
        if not files.file_flags(index) & _HIDDEN
    ]
    hashes = info.info_hashes()
    best = hashes.v1 if hashes.has_v1() else hashes.get_best()
    return Metainfo(info.name(), str(best), info.priv(), shown, [*params.trackers])


def torrent_file(info: lt.torrent_info, trackers: Sequence[str]) -> bytes:
    """Return a .torrent file for the metadata that peers sent, which is kept byte by byte."""
    tiers = lt.bencode([[url] for url in trackers])
    return b"d13:announce-list" + tiers + b"4:info" + info.info_section() + b"e"
