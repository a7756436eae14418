"""Writes NFO files as Kodi, Jellyfin and Emby read them."""

import re
from collections.abc import Sequence
from xml.etree.ElementTree import Element, SubElement, indent, tostring

from quartet.media.catalog.types import Candidate, Episode

_HEADER = b'<?xml version="1.0" encoding="utf-8" standalone="yes"?>\n'
# Characters that XML does not allow.
_FORBIDDEN = re.compile(r"[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def movie_nfo(movie: Candidate) -> bytes:
    return _file(_entry("movie", movie))


def series_nfo(series: Candidate) -> bytes:
    return _file(_entry("tvshow", series))


def episodes_nfo(series: Candidate, episodes: Sequence[Episode]) -> bytes:
    """Return one element per episode: a file with several has several."""
    return _file(*(_episode(series, one) for one in episodes))


def _entry(tag: str, entry: Candidate) -> Element:
    root = Element(tag)
    _add(root, "title", entry.title)
    if entry.original_title and entry.original_title != entry.title:
        _add(root, "originaltitle", entry.original_title)
    if entry.year:
        _add(root, "year", entry.year)
    if entry.rating:
        ratings = SubElement(root, "ratings")
        rating = SubElement(ratings, "rating", name=entry.provider, max="10", default="true")
        _add(rating, "value", entry.rating)
    ids = {"imdb": entry.ids.imdb, "tmdb": entry.ids.tmdb, "tvdb": entry.ids.tvdb}
    ids |= {} if ids.get(entry.provider) else {entry.provider: entry.id}
    given = {name: value for name, value in ids.items() if value}
    for number, (name, value) in enumerate(given.items()):
        default = {"default": "true"} if number == 0 else {}
        _add(root, "uniqueid", value, type=name, **default)
    return root


def _episode(series: Candidate, episode: Episode) -> Element:
    root = Element("episodedetails")
    _add(root, "title", episode.title or f"Episode {episode.episode}")
    _add(root, "showtitle", series.title)
    _add(root, "season", episode.season)
    _add(root, "episode", episode.episode)
    if episode.air_date:
        _add(root, "aired", episode.air_date)
    return root


def _add(parent: Element, tag: str, value: object, **attributes: str) -> None:
    SubElement(parent, tag, attributes).text = _FORBIDDEN.sub("", str(value))


def _file(*roots: Element) -> bytes:
    for root in roots:
        indent(root)
    return _HEADER + b"".join(tostring(root, encoding="utf-8") + b"\n" for root in roots)
