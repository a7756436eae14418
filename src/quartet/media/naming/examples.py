"""Example files that show what a template does, from simple to complete."""

import datetime
from typing import Any

from quartet.media.naming.tokens import TOKENS
from quartet.media.naming.types import Facts
from quartet.media.types import FormatKind

_RELEASE: dict[str, Any] = {
    "resolution": "1080p",
    "source": "BluRay",
    "video_codec": "H.265",
    "audio_codec": "DTS-HD",
    "audio_channels": "5.1",
    "hdr": "HDR10",
    "group": "GROUP",
    "languages": ("en", "de"),
}

_MOVIES = (
    (
        "Mission.Impossible.1996.mkv",
        Facts(
            kind="movie",
            title="Mission: Impossible",
            original="Mission: Impossible",
            year=1996,
            provider="tmdb",
            id="954",
            tmdb="954",
            imdb="tt0117060",
            rating=7.0,
            collection="Mission: Impossible Collection",
            genre="Action",
            extension="mkv",
        ),
    ),
    (
        "Blade.Runner.1982.Final.Cut.1080p.BluRay.x265-GROUP.mkv",
        Facts(
            kind="movie",
            title="Blade Runner",
            original="Blade Runner",
            year=1982,
            edition="Final Cut",
            provider="tmdb",
            id="78",
            tmdb="78",
            imdb="tt0083658",
            rating=7.9,
            collection="Blade Runner Collection",
            genre="Science Fiction",
            extension="mkv",
            **_RELEASE,
        ),
    ),
    ("Metropolis.cd1.avi", Facts(kind="movie", title="Metropolis", part=1, extension="avi")),
)

_SERIES = (
    (
        "firefly.s01e05.mkv",
        Facts(
            kind="series",
            title="Firefly",
            original="Firefly",
            year=2002,
            season=1,
            episodes=(5,),
            absolute=(5,),
            episode_titles=("Safe",),
            date="2002-11-08",
            provider="tvmaze",
            id="180",
            tvdb="78874",
            genre="Science Fiction",
            imdb="tt0303461",
            extension="mkv",
        ),
    ),
    (
        "Doctor.Who.2005.S01E09E10.1080p.BluRay.x265-GROUP.mkv",
        Facts(
            kind="series",
            title="Doctor Who",
            original="Doctor Who",
            year=2005,
            season=1,
            episodes=(9, 10),
            absolute=(9, 10),
            episode_titles=("The Empty Child", "The Doctor Dances"),
            date="2005-05-21",
            provider="tvmaze",
            id="210",
            tvdb="78804",
            extension="mkv",
            **_RELEASE,
        ),
    ),
    (
        "The.Daily.Show.2024.02.12.mp4",
        Facts(kind="series", title="The Daily Show", year=1996, date="2024-02-12", extension="mp4"),
    ),
)


_MUSIC = (
    (
        "05 - so_what.flac",
        Facts(
            kind="music",
            title="So What",
            episode_titles=("So What",),
            artist="Miles Davis",
            album="Kind of Blue",
            year=1959,
            track=1,
            genre="Jazz",
            extension="flac",
            file="05 - so_what",
        ),
    ),
    (
        "CD2/track03.mp3",
        Facts(
            kind="music",
            title="Blue Train",
            episode_titles=("Blue Train",),
            artist="Various Artists",
            track_artist="John Coltrane",
            album="Jazz of the Century",
            year=1999,
            track=3,
            disc=2,
            extension="mp3",
            file="track03",
        ),
    ),
)

_PHOTOS = (
    (
        "DSC_0815.NEF",
        Facts(
            kind="photos",
            title="DSC_0815",
            year=2024,
            taken=datetime.datetime(2024, 5, 31, 18, 4, 9),  # noqa: DTZ001 - local time
            camera="NIKON Z 6",
            extension="nef",
            file="DSC_0815",
        ),
    ),
    (
        "IMG_0042.HEIC",
        Facts(
            kind="photos",
            title="IMG_0042",
            year=2024,
            taken=datetime.datetime(2024, 6, 1, 9, 30),  # noqa: DTZ001 - local time
            camera="iPhone 15",
            extension="heic",
            file="IMG_0042",
            part=2,
        ),
    ),
)

_EXAMPLES: dict[FormatKind, tuple[tuple[str, Facts], ...]] = {
    "movie": _MOVIES,
    "series": _SERIES,
    "music": _MUSIC,
    "photos": _PHOTOS,
}


def examples(kind: FormatKind) -> tuple[tuple[str, Facts], ...]:
    return _EXAMPLES[kind]


def token_examples(kind: FormatKind) -> dict[str, str]:
    """Return an example value of each token that files of this kind have."""
    found = {
        name: next((value for _, facts in examples(kind) if (value := token.read(facts))), "")
        for name, token in TOKENS.items()
    }
    return {name: value for name, value in found.items() if value}
