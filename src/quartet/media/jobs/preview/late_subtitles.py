"""Subtitles that arrive after their video was moved: they follow it."""

from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

from quartet.media.naming.subtitle_languages import subtitle_tags
from quartet.media.roots.file_kinds import SUBTITLE_FOLDERS, VIDEOS, file_kind

# Returns where these files were moved to, by their old path.
MovedFiles = Callable[[Sequence[str]], dict[str, str]]
# A language and flags follow the stem: `.pt-BR.forced.sdh`.
_MOST_TAGS = 3


class LateSubtitle(NamedTuple):
    name: str
    # The old and the new path of its video.
    source: str
    video: str
    target: str


def late_subtitles(folder: str, names: Sequence[str], moved: MovedFiles) -> Iterator[LateSubtitle]:
    """Yield the subtitles among these names of a folder whose video was moved.

    It was in the same folder, or next to it if this is a folder such as `Subs`.
    """
    owners = {name: list(_owners(folder, name)) for name in names if file_kind(name) == "subtitle"}
    if not owners:
        return
    wanted = {stem for some in owners.values() for stem, _ in some}
    sources = {f"{stem}.{one}": stem for stem in sorted(wanted) for one in sorted(VIDEOS)}
    found = {sources[source]: (source, target) for source, target in moved(list(sources)).items()}
    for name, some in owners.items():
        for stem, tail in some:
            if stem in found:
                source, video = found[stem]
                yield LateSubtitle(name, source, video, video.rpartition(".")[0] + tail)
                break


def _owners(folder: str, name: str) -> Iterator[tuple[str, str]]:
    """Yield what the path of the video may have been, and what follows its new name."""
    above, _, own = folder.rpartition("/")
    top, _, around = above.rpartition("/")
    for place in (folder, above) if own.casefold() in SUBTITLE_FOLDERS else (folder,):
        for stem in _stems(name):
            yield f"{place}/{stem}", name[len(stem) :]
    if around.casefold() in SUBTITLE_FOLDERS:
        stem, dot, extension = name.rpartition(".")
        yield f"{top}/{own}", f"{subtitle_tags(stem)}{dot}{extension}"


def _stems(name: str) -> Iterator[str]:
    """Yield what the video may have been called, the longest first."""
    stem = name.rpartition(".")[0]
    for _ in range(_MOST_TAGS + 1):
        if not stem:
            return
        yield stem
        stem = stem.rpartition(".")[0]
