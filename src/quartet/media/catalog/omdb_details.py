"""What OMDb tells about a movie or series. Its texts are in English."""

from collections.abc import Mapping

import msgspec

from quartet.media.catalog.types import Actor, Details, EpisodeDetails, Pictures

MISSING = ("N/A", "")
_MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")


class OmdbTitle(msgspec.Struct, frozen=True, rename="pascal"):
    response: str = "True"
    error: str = ""
    year: str = ""
    rated: str = ""
    released: str = ""
    runtime: str = ""
    genre: str = ""
    director: str = ""
    writer: str = ""
    actors: str = ""
    plot: str = ""
    country: str = ""
    poster: str = ""
    type: str = ""
    imdb_rating: str = msgspec.field(name="imdbRating", default="")
    imdb_votes: str = msgspec.field(name="imdbVotes", default="")


def details(given: OmdbTitle, episodes: Mapping[tuple[int, int], EpisodeDetails]) -> Details:
    return Details(
        pictures=Pictures(poster=known(given.poster)),
        plot=known(given.plot),
        runtime=_number(given.runtime.removesuffix(" min")),
        premiered=_date(given.released),
        certification=None if given.rated in ("Not Rated", "Unrated") else known(given.rated),
        continuing=_continuing(given),
        rating=rating(given.imdb_rating),
        votes=_number(given.imdb_votes.replace(",", "")),
        genres=_several(given.genre),
        countries=_several(given.country),
        directors=_several(given.director),
        writers=_several(given.writer),
        actors=tuple(Actor(name) for name in _several(given.actors)),
        episodes=dict(episodes),
    )


def known(text: str) -> str | None:
    return None if text in MISSING else text


def rating(text: str) -> float | None:
    return float(text) if text.replace(".", "", 1).isdecimal() else None


def _continuing(given: OmdbTitle) -> bool | None:
    """The year of a running series ends with a dash."""
    return given.year.endswith(("\u2013", "-")) if given.type == "series" else None


def _several(text: str) -> tuple[str, ...]:
    """Split `Ridley Scott, Dan O'Bannon (story)`; remarks in brackets are left out."""
    names = (part.partition(" (")[0].strip() for part in (known(text) or "").split(","))
    return tuple(dict.fromkeys(name for name in names if name))


def _number(text: str) -> int | None:
    return int(text) if text.isascii() and text.isdecimal() else None


def _date(text: str) -> str | None:
    """Convert `16 Jul 2010`."""
    parts = text.split()
    if len(parts) != 3 or parts[1] not in _MONTHS:
        return None
    day, year = _number(parts[0]), _number(parts[2])
    return f"{year:04}-{_MONTHS.index(parts[1]) + 1:02}-{day:02}" if day and year else None
