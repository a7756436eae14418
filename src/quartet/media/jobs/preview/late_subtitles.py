"""Subtitles that arrive after their video was moved: they follow it."""

from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

from quartet.media.roots.file_kinds import VIDEOS, file_kind

# Returns where these files were moved to, by their old path.
MovedFiles = Callable[[Sequence[str]], dict[str, str]]
# A language and flags follow the stem: `.pt-BR.forced.sdh`.
_MOST_TAGS = 3


class LateSubtitle(NamedTuple):
    name: str
    # The new path of its video.
    video: str
    target: str


def late_subtitles(folder: str, names: Sequence[str], moved: MovedFiles) -> Iterator[LateSubtitle]:
    """Yield the subtitles among these names of a folder whose video was in the same folder."""
    stems = {name: list(_stems(name)) for name in names if file_kind(name) == "subtitle"}
    if not stems:
        return
    wanted = {stem for some in stems.values() for stem in some}
    sources = {f"{folder}/{stem}.{one}": stem for stem in sorted(wanted) for one in sorted(VIDEOS)}
    found = {sources[source]: target for source, target in moved(list(sources)).items()}
    for name, some in stems.items():
        for stem in some:
            if video := found.get(stem):
                yield LateSubtitle(name, video, video.rpartition(".")[0] + name[len(stem) :])
                break


def _stems(name: str) -> Iterator[str]:
    """Yield what the video may have been called, the longest first."""
    stem = name.rpartition(".")[0]
    for _ in range(_MOST_TAGS + 1):
        if not stem:
            return
        yield stem
        stem = stem.rpartition(".")[0]
