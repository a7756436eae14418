"""Tells the main feature of a release folder from extras that only their size gives away."""

from collections.abc import Sequence
from typing import NamedTuple

from msgspec.structs import replace

from quartet.media.names import extra_files, titles
from quartet.media.names.folder_context import same_title
from quartet.media.names.parse import parse
from quartet.media.names.types import Parsed

# An extra is shorter than this share of the movie.
SMALL = 0.3


class Video(NamedTuple):
    name: str
    size: int
    parsed: Parsed


def main_feature(videos: Sequence[Video], folder: str) -> Video | None:
    """Return the movie after which this folder is named."""
    largest = max(videos, key=lambda video: video.size, default=None)
    return largest if largest and is_movie_of(largest.parsed, folder) else None


def without_small_extras(videos: Sequence[Video], folder: str, main: Video | None) -> list[Parsed]:
    """Return the parsed names; small videos in the folder of the movie or below become extras."""
    if main is None:
        return [video.parsed for video in videos]
    around = parse(folder).title or ""
    return [
        as_extra(video, main.parsed) if is_small_extra(video, around, main) else video.parsed
        for video in videos
    ]


def is_movie_of(parsed: Parsed, folder: str) -> bool:
    """Return True if the folder is named after this movie, so that nothing else is in it."""
    if parsed.extra or parsed.kind.value != "movie" or not parsed.title:
        return False
    above = parse(folder)
    named = above.title is not None and same_title(above.title, parsed.title)
    return named and (above.year is not None or above.release.resolution is not None)


def is_small_extra(video: Video, around: str, main: Video) -> bool:
    """`around` is the title in the name of the folder."""
    parsed = video.parsed
    if parsed.extra or parsed.part or parsed.episodes or parsed.seasons or parsed.date:
        return False
    if video.size >= SMALL * main.size:
        return False
    # Another version of the same movie has its title, another movie its own year or folder.
    if parsed.year is not None and parsed.year != main.parsed.year:
        return False
    own = own_title(video)
    return not same_title(own, main.parsed.title or "") and not same_title(own, around)


def own_title(video: Video) -> str:
    """Return the title in the name itself, without what its folder adds."""
    return parse(video.name).title or ""


def as_extra(video: Video, main: Parsed) -> Parsed:
    stem = video.name.rpartition(".")[0]
    return replace(
        main,
        extra=extra_files.likely_kind(stem),
        extra_title=titles.clean(stem) or None,
        part=None,
        edition=None,
        extension=video.parsed.extension,
    )
