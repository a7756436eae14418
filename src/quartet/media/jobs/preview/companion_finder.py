"""Finds the companion files of the videos in one folder."""

from bisect import bisect_left
from collections.abc import Iterable

from quartet.media.naming.companions import companions
from quartet.media.naming.types import CompanionName
from quartet.media.roots.file_kinds import file_kind

# Sorts after every name; names are compared case-insensitively.
_AFTER_ANY_CHARACTER = "\U0010ffff"


class CompanionFinder:
    """Sorts the names once, so that folders with thousands of videos stay fast."""

    def __init__(self, names: Iterable[str], in_subfolders: list[str]) -> None:
        self._names = sorted((name.casefold(), name) for name in names)
        self._videos = [name for _, name in self._names if file_kind(name) == "video"]
        self._in_subfolders = in_subfolders
        self._found: dict[str, list[CompanionName]] = {}

    def of(self, video: str) -> list[CompanionName]:
        if video not in self._found:
            near = self._all() if len(self._videos) == 1 else self._with_same_stem(video)
            self._found[video] = companions(video, near + self._in_subfolders)
        return self._found[video]

    def _all(self) -> list[str]:
        return [name for _, name in self._names]

    def _with_same_stem(self, video: str) -> list[str]:
        stem = video.rpartition(".")[0].casefold()
        start = bisect_left(self._names, (stem, ""))
        end = bisect_left(self._names, (stem + _AFTER_ANY_CHARACTER, ""))
        # A second video tells `companions` that generic names such as poster.jpg belong to no
        # single video.
        other = next((name for name in self._videos if name != video), video)
        return [*(name for _, name in self._names[start:end]), other]
