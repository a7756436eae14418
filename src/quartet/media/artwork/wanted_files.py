"""Decides which NFO files and pictures belong next to which videos."""

import re
from collections.abc import Sequence
from typing import NamedTuple

from quartet.media.artwork.nfo import episodes_nfo, movie_nfo, series_nfo
from quartet.media.catalog.types import Candidate, Details, Pictures
from quartet.media.match.types import Match
from quartet.media.moves.generated_names import split_tail
from quartet.media.roots.allowed_folders import is_within

_SEASON_FOLDER = re.compile(
    r"(season|staffel|series|saison|temporada|stagione|seizoen)?[ ._-]*\d{1,4}|specials?|extras",
    re.IGNORECASE,
)


class FiledVideo(NamedTuple):
    """A video at its target, with what it was matched to."""

    item_id: int
    target: str
    match: Match


class WantedFile(NamedTuple):
    """A file to write: its content, or the address of a picture whose extension is added."""

    path: str
    # The item with which it is undone; None if several videos share it.
    item_id: int | None
    content: bytes | None = None
    picture: str | None = None


def movie_files(video: FiledVideo, movie: Candidate, details: Details) -> list[WantedFile]:
    stem = _stem(video.target)
    return [
        WantedFile(f"{stem}.nfo", video.item_id, movie_nfo(movie, details)),
        *_pictures(f"{stem}-", details.pictures, video.item_id),
    ]


def series_files(
    videos: Sequence[FiledVideo], series: Candidate, details: Details, library: str
) -> list[WantedFile]:
    """Return the files of a series and of its episodes."""
    found: list[WantedFile] = []
    pictures = details.pictures
    for folder in dict.fromkeys(_series_folder(one.target) for one in videos):
        # A series without a folder of its own would share these files with others.
        if folder != library and is_within(folder, library):
            found.append(WantedFile(f"{folder}/tvshow.nfo", None, series_nfo(series, details)))
            found += _pictures(f"{folder}/", pictures, None)
            found += [
                WantedFile(f"{folder}/{_season_name(season)}-poster", None, picture=url)
                for season, url in pictures.seasons.items()
            ]
    for video in videos:
        stem, episodes = _stem(video.target), video.match.episodes
        if not episodes:
            continue
        nfo = episodes_nfo(series, episodes, details)
        found.append(WantedFile(f"{stem}.nfo", video.item_id, nfo))
        still = pictures.episodes.get((episodes[0].season, episodes[0].episode))
        if still:
            found.append(WantedFile(f"{stem}-thumb", video.item_id, picture=still))
    return found


def _pictures(start: str, pictures: Pictures, item_id: int | None) -> list[WantedFile]:
    kinds = {"poster": pictures.poster, "fanart": pictures.fanart, "clearlogo": pictures.logo}
    return [
        WantedFile(f"{start}{name}", item_id, picture=url) for name, url in kinds.items() if url
    ]


def _series_folder(target: str) -> str:
    """Return the folder of the series: the one above a season's, or the one of the file."""
    folder = target.rpartition("/")[0]
    above, _, name = folder.rpartition("/")
    return above if _SEASON_FOLDER.fullmatch(name) else folder


def _season_name(season: int) -> str:
    return "season-specials" if season == 0 else f"season{season:02}"


def _stem(target: str) -> str:
    folder, _, name = target.rpartition("/")
    return f"{folder}/{split_tail(name)[0]}"
