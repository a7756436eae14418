"""Writes NFO files as Kodi, Jellyfin and Emby read them."""

import re
from collections.abc import Iterable, Mapping, Sequence
from xml.etree.ElementTree import Element, SubElement, indent, tostring

from quartet.media.catalog.types import Candidate, Details, Episode, EpisodeDetails

_HEADER = b'<?xml version="1.0" encoding="utf-8" standalone="yes"?>\n'
# Characters that XML does not allow.
_FORBIDDEN = re.compile(r"[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_NOTHING = EpisodeDetails()


def movie_nfo(movie: Candidate, details: Details) -> bytes:
    root = _entry("movie", movie, details)
    if details.collection:
        _add(SubElement(root, "set"), "name", details.collection)
    return _file(root)


def series_nfo(series: Candidate, details: Details) -> bytes:
    root = _entry("tvshow", series, details)
    if details.continuing is not None:
        _add(root, "status", "Continuing" if details.continuing else "Ended")
    for season, address in details.pictures.seasons.items():
        _add_picture(root, address, aspect="poster", type="season", season=str(season))
    return _file(root)


def episodes_nfo(series: Candidate, episodes: Sequence[Episode], details: Details) -> bytes:
    """Return one element per episode: a file with several has several."""
    return _file(*(_episode(series, one, details) for one in episodes))


def _entry(tag: str, entry: Candidate, details: Details) -> Element:
    root = Element(tag)
    _add(root, "title", entry.title)
    if entry.original_title and entry.original_title != entry.title:
        _add(root, "originaltitle", entry.original_title)
    _add_rating(root, entry.provider, details.rating or entry.rating, details.votes)
    _add(root, "plot", details.plot)
    _add(root, "tagline", details.tagline)
    _add(root, "runtime", details.runtime)
    _add(root, "mpaa", details.certification)
    ids = {"imdb": entry.ids.imdb, "tmdb": entry.ids.tmdb, "tvdb": entry.ids.tvdb}
    _add_ids(root, ids if ids.get(entry.provider) else {**ids, entry.provider: entry.id})
    _add_all(root, "genre", details.genres)
    _add_all(root, "country", details.countries)
    _add_people(root, details.writers, details.directors)
    _add(root, "premiered", details.premiered)
    _add(root, "year", entry.year)
    _add_all(root, "studio", details.studios)
    _add_pictures(root, details)
    _add_actors(root, details)
    return root


def _episode(series: Candidate, episode: Episode, details: Details) -> Element:
    numbers = (episode.season, episode.episode)
    about = details.episodes.get(numbers, _NOTHING)
    root = Element("episodedetails")
    _add(root, "title", episode.title or f"Episode {episode.episode}")
    _add(root, "showtitle", series.title)
    _add(root, "season", episode.season)
    _add(root, "episode", episode.episode)
    _add_rating(root, series.provider, about.rating)
    _add(root, "plot", about.plot)
    _add(root, "runtime", about.runtime)
    _add(root, "mpaa", details.certification)
    _add_ids(root, {series.provider: about.id})
    _add_people(root, about.writers, about.directors)
    _add(root, "aired", episode.air_date)
    _add_all(root, "studio", details.studios)
    _add_picture(root, details.pictures.episodes.get(numbers))
    return root


def _add_rating(
    root: Element, provider: str, rating: float | None, votes: int | None = None
) -> None:
    if rating:
        ratings = SubElement(root, "ratings")
        # Kodi knows this catalog under another name.
        name = "themoviedb" if provider == "tmdb" else provider
        entry = SubElement(ratings, "rating", name=name, max="10", default="true")
        _add(entry, "value", round(rating, 2))
        _add(entry, "votes", votes)


def _add_ids(root: Element, ids: Mapping[str, object]) -> None:
    given = {name: value for name, value in ids.items() if value}
    for number, (name, value) in enumerate(given.items()):
        default = {"default": "true"} if number == 0 else {}
        _add(root, "uniqueid", value, type=name, **default)


def _add_people(root: Element, writers: Iterable[str], directors: Iterable[str]) -> None:
    _add_all(root, "credits", writers)
    _add_all(root, "director", directors)


def _add_pictures(root: Element, details: Details) -> None:
    _add_picture(root, details.pictures.poster, aspect="poster")
    _add_picture(root, details.pictures.logo, aspect="clearlogo")
    if _is_public(details.pictures.fanart):
        _add_picture(SubElement(root, "fanart"), details.pictures.fanart)


def _add_actors(root: Element, details: Details) -> None:
    for place, actor in enumerate(details.actors):
        element = SubElement(root, "actor")
        _add(element, "name", actor.name)
        _add(element, "role", actor.role)
        _add(element, "order", place)
        _add_picture(element, actor.picture)


def _add_picture(parent: Element, address: str | None, **attributes: str) -> None:
    if _is_public(address):
        _add(parent, "thumb", address, **attributes)


def _is_public(address: str | None) -> bool:
    """Covers that this service draws have no address that others can open."""
    return bool(address) and str(address).startswith(("http://", "https://"))


def _add_all(parent: Element, tag: str, values: Iterable[str]) -> None:
    for value in values:
        _add(parent, tag, value)


def _add(parent: Element, tag: str, value: object, **attributes: str) -> None:
    """Add an element, unless there is no value."""
    if value is not None and value != "":
        SubElement(parent, tag, attributes).text = _FORBIDDEN.sub("", str(value))


def _file(*roots: Element) -> bytes:
    for root in roots:
        indent(root)
    return _HEADER + b"".join(tostring(root, encoding="utf-8") + b"\n" for root in roots)
