"""HTML head of a page for search engines and link previews."""

import re
from html import escape

import msgspec

from quartet.wind.languages import Language
from quartet.wind.stations.types import KnownStation

_TITLE = re.compile(r"<title>.*?</title>", re.DOTALL)
_ROBOTS = re.compile(r'\s*<meta name="robots"[^>]*>')
# Escape HTML characters in the JSON, so that a name cannot end the script element.
_ESCAPES = {ord("<"): "\\u003c", ord(">"): "\\u003e", ord("&"): "\\u0026"}

_DESCRIPTIONS: dict[Language, str] = {
    "en": "Wind forecasts of several models, measurements, TAF and statistics for {where}.",
    "de": "Windvorhersagen mehrerer Modelle, Messwerte, TAF und Statistik für {where}.",
}


def station_page(
    page: str, station: KnownStation, site: str | None, language: Language = "en"
) -> str:
    """Return the app's page with the head of a station; `site` is the public address."""
    address = f"{site}/station/{station.slug}" if site else None
    picture = f"{site}/preview/{station.slug}.png" if site else None
    head = _head(station, address, picture, language)
    # Station pages may be indexed, unlike all others.
    page = _ROBOTS.sub("", page, count=1)
    page = page.replace('<html lang="en"', f'<html lang="{language}"', 1)
    return _TITLE.sub(lambda _match: head, page, count=1)


def _head(
    station: KnownStation, address: str | None, picture: str | None, language: Language
) -> str:
    title, description = _title(station), _description(station, language)
    lines = [
        f"<title>{escape(title)}</title>",
        _meta("name", "description", description),
        _meta("property", "og:type", "website"),
        _meta("property", "og:site_name", "Wind"),
        _meta("property", "og:title", title),
        _meta("property", "og:description", description),
        _meta("name", "twitter:card", "summary_large_image" if picture else "summary"),
    ]
    if picture:
        lines += [
            _meta("property", "og:image", picture),
            _meta("property", "og:image:width", "1200"),
            _meta("property", "og:image:height", "630"),
        ]
    if address:
        lines.append(_meta("property", "og:url", address))
        lines.append(f'<link rel="canonical" href="{escape(address)}" />')
        lines += [_alternate(address, each) for each in _DESCRIPTIONS]
    data = msgspec.json.encode(_json_ld(station, description, address)).decode()
    data = data.translate(_ESCAPES)
    lines.append(f'<script type="application/ld+json">{data}</script>')
    return "\n    ".join(lines)


def _title(station: KnownStation) -> str:
    code = station.codes.icao
    return f"{station.name} ({code}) · Wind" if code else f"{station.name} · Wind"


def _description(station: KnownStation, language: Language) -> str:
    where = ", ".join(part for part in (station.name, station.city, station.country) if part)
    return _DESCRIPTIONS[language].format(where=where)


def _alternate(address: str, language: Language) -> str:
    there = escape(f"{address}?lang={language}")
    return f'<link rel="alternate" hreflang="{language}" href="{there}" />'


def _json_ld(station: KnownStation, description: str, address: str | None) -> dict[str, object]:
    place: dict[str, object] = {
        "@context": "https://schema.org",
        "@type": "Place",
        "name": station.name,
        "description": description,
        "geo": _geo(station),
        "address": {"@type": "PostalAddress", "addressCountry": station.country},
    }
    if station.codes.icao:
        place["identifier"] = station.codes.icao
    if address:
        place["url"] = address
    return place


def _geo(station: KnownStation) -> dict[str, object]:
    geo: dict[str, object] = {
        "@type": "GeoCoordinates",
        "latitude": station.lat,
        "longitude": station.lon,
    }
    if station.elevation is not None:
        geo["elevation"] = station.elevation
    return geo


def _meta(kind: str, name: str, content: str) -> str:
    return f'<meta {kind}="{name}" content="{escape(content)}" />'
