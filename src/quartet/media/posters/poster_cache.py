"""A cache of posters on disk that drops the oldest ones. Blocks."""

import hashlib
from pathlib import Path

from quartet.kernel.files import Root, write_atomic

MOST_PICTURES = 2000


class PosterCache:
    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def get(self, url: str) -> bytes | None:
        try:
            return (self._folder / _name(url)).read_bytes()
        except FileNotFoundError:
            return None

    def put(self, url: str, picture: bytes) -> None:
        self._folder.mkdir(parents=True, exist_ok=True)
        write_atomic(Root(self._folder), _name(url), picture)
        self._make_room()

    def _make_room(self) -> None:
        files = list(self._folder.iterdir())
        if len(files) > MOST_PICTURES:
            files.sort(key=lambda file: file.stat().st_mtime_ns)
            # Delete a few more, so that it is not done for every new one.
            for file in files[: len(files) - MOST_PICTURES + MOST_PICTURES // 10]:
                file.unlink(missing_ok=True)


def _name(url: str) -> str:
    return hashlib.sha256(url.encode()).hexdigest()
