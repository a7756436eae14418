"""What AniList tells about an anime. Its texts are in English; it has none of episodes."""

import msgspec

from quartet.media.catalog.plain_text import plain_text
from quartet.media.catalog.types import Actor, Details, Pictures

FIELDS = """
description(asHtml: false) duration status averageScore genres bannerImage countryOfOrigin
startDate { year month day } coverImage { extraLarge }
studios(isMain: true) { nodes { name } }
staff(sort: [RELEVANCE], perPage: 25) { edges { role node { name { full } } } }
characters(sort: [ROLE, RELEVANCE], perPage: 15) { edges {
  node { name { full } }
  voiceActors(language: JAPANESE, sort: [RELEVANCE]) { name { full } image { large } }
} }
"""
_CONTINUING = {"FINISHED": False, "RELEASING": True, "HIATUS": True, "CANCELLED": False}
_DIRECTORS = ("Director", "Chief Director")
_WRITERS = ("Script", "Series Composition", "Screenplay")


class _Name(msgspec.Struct, frozen=True):
    full: str | None = None


class _Image(msgspec.Struct, frozen=True, rename="camel"):
    large: str | None = None
    extra_large: str | None = None


class _Person(msgspec.Struct, frozen=True):
    name: _Name = _Name()
    image: _Image = _Image()


class _Staff(msgspec.Struct, frozen=True):
    node: _Person
    role: str | None = None


class _StaffEdges(msgspec.Struct, frozen=True):
    edges: list[_Staff] = []


class _Character(msgspec.Struct, frozen=True, rename="camel"):
    node: _Person
    voice_actors: list[_Person] | None = None


class _CharacterEdges(msgspec.Struct, frozen=True):
    edges: list[_Character] = []


class _Studio(msgspec.Struct, frozen=True):
    name: str


class _StudioNodes(msgspec.Struct, frozen=True):
    nodes: list[_Studio] = []


class _Date(msgspec.Struct, frozen=True):
    year: int | None = None
    month: int | None = None
    day: int | None = None


class AniListDetails(msgspec.Struct, frozen=True, rename="camel"):
    description: str | None = None
    duration: int | None = None
    status: str | None = None
    average_score: int | None = None
    genres: list[str] | None = None
    banner_image: str | None = None
    country_of_origin: str | None = None
    start_date: _Date = _Date()
    cover_image: _Image = _Image()
    studios: _StudioNodes = _StudioNodes()
    staff: _StaffEdges = _StaffEdges()
    characters: _CharacterEdges = _CharacterEdges()


def details(given: AniListDetails, *, is_series: bool) -> Details:
    score = given.average_score
    return Details(
        pictures=Pictures(poster=given.cover_image.extra_large, fanart=given.banner_image),
        plot=plain_text(given.description),
        runtime=given.duration,
        premiered=_date(given.start_date),
        continuing=_CONTINUING.get(given.status or "") if is_series else None,
        rating=None if score is None else score / 10,
        genres=tuple(given.genres or ()),
        countries=(given.country_of_origin,) if given.country_of_origin else (),
        studios=tuple(studio.name for studio in given.studios.nodes),
        directors=_staff(given, _DIRECTORS),
        writers=_staff(given, _WRITERS),
        actors=tuple(
            Actor(actor.name.full, character.node.name.full, actor.image.large)
            for character in given.characters.edges
            for actor in (character.voice_actors or ())[:1]
            if actor.name.full
        ),
    )


def _staff(given: AniListDetails, roles: tuple[str, ...]) -> tuple[str, ...]:
    """Return the people with these roles; AniList adds episodes, as in `Script (eps 1-3)`."""
    names = (
        one.node.name.full
        for one in given.staff.edges
        if (one.role or "").partition(" (")[0] in roles
    )
    return tuple(dict.fromkeys(name for name in names if name))


def _date(given: _Date) -> str | None:
    if given.year and given.month and given.day:
        return f"{given.year:04}-{given.month:02}-{given.day:02}"
    return None
