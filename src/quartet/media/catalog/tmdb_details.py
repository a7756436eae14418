"""What The Movie Database tells about a movie or series, with its pictures."""

from collections.abc import Sequence

from quartet.media.catalog.certification import certification
from quartet.media.catalog.tmdb_answers import Cast, Crew, Named, TmdbDetails, TmdbEpisode
from quartet.media.catalog.tmdb_pictures import (
    BACKDROP_WIDTHS,
    IMAGES,
    LOGO_WIDTHS,
    POSTER_WIDTHS,
    STILL_WIDTHS,
    best_logo,
    sized,
)
from quartet.media.catalog.types import Actor, Details, EpisodeDetails, Pictures, PictureWidths

# What is fetched together with a movie or a series.
MOVIE_PARTS = "images,credits,release_dates"
SERIES_PARTS = "images,aggregate_credits,content_ratings"
_FACES = f"{IMAGES}w185"
_MOST_ACTORS = 30
_STATUS = {"Ended": False, "Canceled": False, "Returning Series": True, "In Production": True}


def details(
    entry: TmdbDetails, episodes: Sequence[TmdbEpisode], language: str, widths: PictureWidths
) -> Details:
    crew = entry.credits.crew
    return Details(
        pictures=_pictures(entry, episodes, language, widths),
        plot=entry.overview or None,
        tagline=entry.tagline or None,
        runtime=entry.runtime or next(iter(entry.episode_run_time), None),
        premiered=entry.release_date or entry.first_air_date or None,
        certification=certification(_age_ratings(entry), language),
        continuing=_STATUS.get(entry.status or ""),
        rating=entry.vote_average or None,
        votes=entry.vote_count or None,
        collection=entry.belongs_to_collection.name if entry.belongs_to_collection else None,
        genres=_names(entry.genres),
        countries=_names(entry.production_countries),
        studios=_names(entry.networks or entry.production_companies),
        directors=_directors(crew),
        writers=_writers(crew) or _names(entry.created_by),
        actors=_actors(entry.credits.cast or entry.aggregate_credits.cast),
        episodes={(one.season_number, one.episode_number): _episode(one) for one in episodes},
    )


def _pictures(
    entry: TmdbDetails, episodes: Sequence[TmdbEpisode], language: str, widths: PictureWidths
) -> Pictures:
    images, poster, fanart = entry.images, widths.poster, widths.fanart
    seasons = {
        one.season_number: sized(one.poster_path, POSTER_WIDTHS, poster) for one in entry.seasons
    }
    stills = {
        (one.season_number, one.episode_number): sized(one.still_path, STILL_WIDTHS, fanart)
        for one in episodes
    }
    return Pictures(
        poster=sized(entry.poster_path, POSTER_WIDTHS, poster, images.posters),
        fanart=sized(entry.backdrop_path, BACKDROP_WIDTHS, fanart, images.backdrops),
        logo=sized(best_logo(images.logos, language[:2]), LOGO_WIDTHS, fanart),
        seasons={season: url for season, url in seasons.items() if url},
        episodes={numbers: url for numbers, url in stills.items() if url},
    )


def _episode(given: TmdbEpisode) -> EpisodeDetails:
    return EpisodeDetails(
        id=str(given.id) if given.id else None,
        plot=given.overview or None,
        runtime=given.runtime or None,
        rating=given.vote_average or None,
        directors=_directors(given.crew),
        writers=_writers(given.crew),
    )


def _age_ratings(entry: TmdbDetails) -> dict[str, str]:
    """Return the age ratings by country."""
    found: dict[str, str] = {}
    for one in (*entry.content_ratings.results, *entry.release_dates.results):
        given = one.rating or next(
            (r.certification for r in one.release_dates if r.certification), ""
        )
        if given:
            found[one.iso_3166_1] = given
    return found


def _actors(cast: Sequence[Cast]) -> tuple[Actor, ...]:
    return tuple(
        Actor(
            one.name,
            one.character or " / ".join(role.character for role in one.roles if role.character),
            _FACES + one.profile_path if one.profile_path else None,
        )
        for one in cast[:_MOST_ACTORS]
    )


def _directors(crew: Sequence[Crew]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(one.name for one in crew if one.job == "Director"))


def _writers(crew: Sequence[Crew]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(one.name for one in crew if one.department == "Writing"))


def _names(given: Sequence[Named]) -> tuple[str, ...]:
    return tuple(one.name for one in given if one.name)
