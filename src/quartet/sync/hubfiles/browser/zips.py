"""Writes a folder as a zip archive in pieces; this generator blocks."""

import io
import time
import zipfile
from collections.abc import Iterator

from quartet.kernel.errors import AppError
from quartet.kernel.files import Root
from quartet.kernel.files.beneath import Parts
from quartet.sync.hubfiles import walk
from quartet.sync.hubfiles.names import is_temporary

_PIECE = 256 * 1024
# The format knows no earlier time.
_FIRST_YEAR = 1980
# Compressing them again takes long and saves nothing.
_PACKED = (".jpg", ".jpeg", ".png", ".webp", ".mp3", ".mp4", ".mkv", ".zip", ".gz", ".7z", ".mov")


class _Pieces(io.RawIOBase):
    """Collects what the archive writes until it is taken."""

    def __init__(self) -> None:
        self._data = bytearray()

    def writable(self) -> bool:
        return True

    def write(self, data: "bytes | bytearray | memoryview") -> int:  # type: ignore[override]
        self._data += data
        return len(data)

    def take(self) -> bytes:
        taken = bytes(self._data)
        self._data.clear()
        return taken


def zip_pieces(root: Root, parts: Parts) -> Iterator[bytes]:
    """Yield the archive of a folder; files that disappear in the meantime are left out."""
    pieces = _Pieces()
    with zipfile.ZipFile(pieces, "w") as archive:
        for each in walk.files(root, parts):
            if not is_temporary(each.parts[-1]):
                yield from _add(archive, pieces, root, each, len(parts))
    yield pieces.take()


def _add(
    archive: zipfile.ZipFile, pieces: _Pieces, root: Root, each: walk.FoundFile, cut: int
) -> Iterator[bytes]:
    seen = each.seen()
    try:
        file = root.open(each.parts)
    except AppError:
        return
    with file:
        moment = time.localtime(seen.st_mtime if seen else 0)[:6]
        name = "/".join(each.parts[cut:])
        info = zipfile.ZipInfo(name, max(moment, (_FIRST_YEAR, 1, 1, 0, 0, 0)))
        is_packed = name.lower().endswith(_PACKED)
        info.compress_type = zipfile.ZIP_STORED if is_packed else zipfile.ZIP_DEFLATED
        info.external_attr = 0o644 << 16
        # The size is unknown: the file may grow while it is read.
        with archive.open(info, "w", force_zip64=True) as target:
            while data := file.read(_PIECE):
                target.write(data)
                if ready := pieces.take():
                    yield ready
