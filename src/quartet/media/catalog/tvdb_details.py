"""What TheTVDB tells about a movie or series, with its pictures."""

from collections.abc import Sequence

from quartet.media.catalog.certification import certification
from quartet.media.catalog.tvdb_answers import (
    Character,
    Companies,
    Translations,
    TvdbArtwork,
    TvdbDetails,
    TvdbEpisode,
    TvdbNamed,
)
from quartet.media.catalog.types import Actor, Details, EpisodeDetails, Pictures, PictureWidths
from quartet.media.types import Kind

# Numbers of TheTVDB for posters and backgrounds.
_ARTWORK_TYPES: dict[Kind, tuple[int, int]] = {"series": (2, 3), "movie": (14, 15)}
_COUNTRIES = {
    "usa": "US", "deu": "DE", "gbr": "GB", "fra": "FR", "esp": "ES", "ita": "IT", "nld": "NL",
    "prt": "PT", "bra": "BR", "dnk": "DK", "swe": "SE", "nor": "NO", "fin": "FI", "pol": "PL",
    "cze": "CZ", "hun": "HU", "rus": "RU", "tur": "TR", "grc": "GR", "jpn": "JP", "kor": "KR",
    "rou": "RO", "aus": "AU", "can": "CA",
}  # fmt: skip
_MOST_ACTORS = 30
_STATUS = {"Ended": False, "Continuing": True}


def details(
    kind: Kind,
    entry: TvdbDetails,
    episodes: Sequence[TvdbEpisode],
    language: str,
    code: str,
    widths: PictureWidths,
) -> Details:
    """`code` is the language in the three letters of TheTVDB."""
    people = sorted(entry.characters or [], key=lambda one: one.sort or 0)
    ratings = {_COUNTRIES.get(one.country, ""): one.name for one in entry.content_ratings or []}
    return Details(
        pictures=_pictures(kind, entry.artworks or [], episodes, code, widths),
        plot=_overview(entry.translations, code) or entry.overview or None,
        tagline=_tagline(entry.translations, code),
        runtime=entry.runtime or entry.average_runtime or None,
        premiered=(entry.first_release and entry.first_release.date) or entry.first_aired or None,
        certification=certification(ratings, language),
        continuing=_STATUS.get((entry.status and entry.status.name) or ""),
        genres=tuple(one.name for one in entry.genres or []),
        studios=_studios(entry),
        directors=_people(people, "Director"),
        writers=_people(people, "Writer"),
        actors=_actors(people),
        episodes={(one.season_number, one.number): _episode(one) for one in episodes},
    )


def _pictures(
    kind: Kind,
    artworks: Sequence[TvdbArtwork],
    episodes: Sequence[TvdbEpisode],
    code: str,
    widths: PictureWidths,
) -> Pictures:
    poster, fanart = _ARTWORK_TYPES[kind]
    return Pictures(
        poster=_picture(artworks, poster, code, widths.poster),
        fanart=_picture(artworks, fanart, code, widths.fanart),
        episodes={(one.season_number, one.number): one.image for one in episodes if one.image},
    )


def _picture(artworks: Sequence[TvdbArtwork], type: int, code: str, most: int) -> str | None:
    """Choose in the chosen language, otherwise in English or without text."""
    same = [one for one in artworks if one.type == type]
    for language in (code, "eng", None):
        if spoken := [one for one in same if one.language == language]:
            return _fitting(spoken, most).image
    return None


def _fitting(artworks: list[TvdbArtwork], most: int) -> TvdbArtwork:
    """Return the widest and best rated that is not wider than wanted, otherwise the narrowest."""
    fit = [one for one in artworks if one.width <= most]
    if fit:
        return max(fit, key=lambda one: (one.width, one.score))
    return min(artworks, key=lambda one: one.width)


def _overview(translations: Translations | None, code: str) -> str | None:
    given = (translations and translations.overview_translations) or []
    texts = {one.language: one.overview for one in given}
    return texts.get(code) or texts.get("eng")


def _tagline(translations: Translations | None, code: str) -> str | None:
    given = (translations and translations.name_translations) or []
    texts = {one.language: one.tagline for one in given}
    return texts.get(code) or texts.get("eng") or None


def _studios(entry: TvdbDetails) -> tuple[str, ...]:
    if entry.original_network:
        return (entry.original_network.name,)
    companies: Sequence[TvdbNamed] = ()
    if isinstance(entry.companies, Companies):
        companies = entry.companies.studio or entry.companies.production or ()
    elif entry.companies:
        companies = entry.companies
    return tuple(dict.fromkeys(one.name for one in companies))


def _people(people: Sequence[Character], job: str) -> tuple[str, ...]:
    names = (one.person_name for one in people if one.people_type == job)
    return tuple(dict.fromkeys(name for name in names if name))


def _actors(people: Sequence[Character]) -> tuple[Actor, ...]:
    cast = [one for one in people if one.people_type == "Actor" and one.person_name]
    return tuple(
        Actor(one.person_name or "", one.name or None, one.person_img_url or one.image or None)
        for one in cast[:_MOST_ACTORS]
    )


def _episode(given: TvdbEpisode) -> EpisodeDetails:
    return EpisodeDetails(
        id=str(given.id) if given.id else None,
        plot=given.overview or None,
        runtime=given.runtime or None,
    )
