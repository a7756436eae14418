"""The series Firefly: a candidate, an episode, what TVmaze answers, and how to read its NFO."""

from typing import Any
from xml.etree.ElementTree import Element, fromstring

from quartet.media.catalog.types import Candidate, Episode, PictureWidths

WIDTHS = PictureWidths()
SERIES = Candidate(provider="tmdb", id="1437", kind="series", title="Firefly", year=2002)
EPISODE = Episode(season=1, episode=1, title="Serenity", air_date="2002-12-20")


def read(nfo: bytes) -> Element:
    return fromstring(nfo.decode())


def texts(root: Element, path: str) -> list[str | None]:
    return [one.text for one in root.findall(path)]


MAZE: dict[str, Any] = {
    "/search/shows": [{"show": {"id": 180, "name": "Firefly", "premiered": "2002-09-20"}}],
    "/shows/180": {
        "id": 180,
        "name": "Firefly",
        "premiered": "2002-09-20",
        "summary": "<p><b>Firefly</b> is set in 2517 &amp; on.</p><p>It has <i>nine</i> parts.</p>",
        "runtime": None,
        "averageRuntime": 60,
        "status": "Ended",
        "genres": ["Western"],
        "rating": {"average": 8.9},
        "network": {"name": "FOX", "country": {"code": "US"}},
        "webChannel": None,
        "_embedded": {
            "cast": [
                {
                    "person": {"name": "Nathan Fillion", "image": {"medium": "https://e.org/m"}},
                    "character": {"name": "Mal"},
                }
            ]
        },
    },
    "/shows/180/akas": [],
    "/shows/180/images": [],
    "/shows/180/episodes": [
        {
            "id": 12998,
            "season": 1,
            "number": 1,
            "name": "Serenity",
            "airdate": "2002-12-20",
            "runtime": 90,
            "summary": "<p>Mal takes passengers.</p>",
            "rating": {"average": 8.2},
            "image": {"medium": "https://e.org/1m.jpg", "original": "https://e.org/1.jpg"},
        }
    ],
}
