"""Tells the main feature of a release folder from extras that only their size gives away."""

from collections.abc import Sequence
from typing import NamedTuple

from msgspec.structs import replace

from quartet.media.names import titles
from quartet.media.names.folder_context import same_title
from quartet.media.names.parse import parse
from quartet.media.names.types import Parsed

# An extra is shorter than this share of the movie.
SMALL = 0.3


class Video(NamedTuple):
    name: str
    size: int
    parsed: Parsed


def without_small_extras(videos: Sequence[Video], folder: str) -> list[Parsed]:
    """Return the parsed names; small videos next to the movie of this folder become extras."""
    parsed = [video.parsed for video in videos]
    main = max(videos, key=lambda video: video.size, default=None)
    if main is None or len(videos) == 1 or not is_movie_of(main.parsed, folder):
        return parsed
    return [
        as_extra(video, main.parsed) if is_small_extra(video, main) else video.parsed
        for video in videos
    ]


def is_movie_of(parsed: Parsed, folder: str) -> bool:
    """Return True if the folder is named after this movie, so that nothing else is in it."""
    if parsed.extra or parsed.kind.value != "movie" or not parsed.title:
        return False
    above = parse(folder)
    named = above.title is not None and same_title(above.title, parsed.title)
    return named and (above.year is not None or above.release.resolution is not None)


def is_small_extra(video: Video, main: Video) -> bool:
    parsed = video.parsed
    if parsed.extra or parsed.part or parsed.episodes or parsed.seasons or parsed.date:
        return False
    if video.size >= SMALL * main.size:
        return False
    # Another version of the same movie has its title, and another movie its own year.
    own_year = parsed.year is not None and parsed.year != main.parsed.year
    return not own_year and not same_title(own_title(video), main.parsed.title or "")


def own_title(video: Video) -> str:
    """Return the title in the name itself, without what its folder adds."""
    return parse(video.name).title or ""


def as_extra(video: Video, main: Parsed) -> Parsed:
    stem = video.name.rpartition(".")[0]
    return replace(
        main,
        extra="other",
        extra_title=titles.clean(stem) or None,
        part=None,
        edition=None,
        extension=video.parsed.extension,
    )
