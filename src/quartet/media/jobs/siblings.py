"""The files of one folder, for the videos among them."""

from bisect import bisect_left
from collections.abc import Iterable

from quartet.media.naming.companions import companions
from quartet.media.naming.types import Companion
from quartet.media.roots.kinds import file_kind

# Beginnings are compared without case; one more sign than every name has.
_LAST = "\U0010ffff"


class Siblings:
    """Asked for each video; sorted once, so that a folder with thousands stays quick."""

    def __init__(self, names: Iterable[str], in_subfolders: list[str]) -> None:
        self._names = sorted((name.casefold(), name) for name in names)
        self._videos = [name for _, name in self._names if file_kind(name) == "video"]
        self._in_subfolders = in_subfolders

    def of(self, video: str) -> list[Companion]:
        near = self._all() if len(self._videos) == 1 else self._beginning_like(video)
        return companions(video, near + self._in_subfolders)

    def _all(self) -> list[str]:
        return [name for _, name in self._names]

    def _beginning_like(self, video: str) -> list[str]:
        stem = video.rpartition(".")[0].casefold()
        start = bisect_left(self._names, (stem, ""))
        end = bisect_left(self._names, (stem + _LAST, ""))
        # A second video says that what has no stem of its own belongs to nobody.
        other = next((name for name in self._videos if name != video), video)
        return [*(name for _, name in self._names[start:end]), other]
