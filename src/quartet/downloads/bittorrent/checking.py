"""Finds damaged files after libtorrent has checked a torrent."""

from collections.abc import Collection

import libtorrent as lt


def damaged_files(handle: lt.torrent_handle, present: Collection[int]) -> list[int]:
    """Return which of these files have a piece that does not match its hash.

    A piece that reaches into a file that is not there says nothing about the others.
    """
    info = handle.torrent_file()
    if info is None:
        return []
    layout = info.files()
    padding = {
        index
        for index in range(info.num_files())
        if layout.file_flags(index) & lt.file_storage.flag_pad_file
    }
    damaged: set[int] = set()
    for piece, matches in enumerate(handle.status().pieces):
        if matches:
            continue
        slices = info.map_block(piece, 0, info.piece_size(piece))
        files = {each.file_index for each in slices} - padding
        if files.issubset(present):
            damaged |= files
    return sorted(damaged)
