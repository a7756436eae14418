"""The answers of The Movie Database, with the fields that are used."""

import msgspec

from quartet.media.catalog.tmdb_pictures import TmdbImage


class External(msgspec.Struct, frozen=True):
    imdb_id: str | None = None
    tvdb_id: int | None = None


class Named(msgspec.Struct, frozen=True):
    title: str = ""
    name: str = ""


class Alternatives(msgspec.Struct, frozen=True):
    titles: list[Named] = []
    results: list[Named] = []


class TmdbSeason(msgspec.Struct, frozen=True):
    season_number: int
    poster_path: str | None = None


class TmdbEntry(msgspec.Struct, frozen=True):
    """A movie (title, release_date) or a series (name, first_air_date).

    Search results have neither collection nor genres.
    """

    id: int
    title: str = ""
    name: str = ""
    original_title: str | None = None
    original_name: str | None = None
    release_date: str | None = None
    first_air_date: str | None = None
    poster_path: str | None = None
    vote_average: float | None = None
    number_of_episodes: int | None = None
    origin_country: list[str] = []
    external_ids: External = External()
    alternative_titles: Alternatives = Alternatives()
    seasons: list[TmdbSeason] = []
    belongs_to_collection: Named | None = None
    genres: list[Named] = []


class TmdbPage(msgspec.Struct, frozen=True):
    results: list[TmdbEntry]


class Found(msgspec.Struct, frozen=True):
    movie_results: list[TmdbEntry] = []
    tv_results: list[TmdbEntry] = []


class Images(msgspec.Struct, frozen=True):
    logos: list[TmdbImage] = []
    posters: list[TmdbImage] = []
    backdrops: list[TmdbImage] = []


class Role(msgspec.Struct, frozen=True):
    character: str | None = None


class Cast(msgspec.Struct, frozen=True):
    """A role in a movie (character) or the roles in all seasons of a series."""

    name: str
    character: str | None = None
    roles: list[Role] = []
    profile_path: str | None = None


class Crew(msgspec.Struct, frozen=True):
    name: str
    job: str | None = None
    department: str | None = None


class Credits(msgspec.Struct, frozen=True):
    cast: list[Cast] = []
    crew: list[Crew] = []


class ReleaseDate(msgspec.Struct, frozen=True):
    certification: str | None = None


class CountryRating(msgspec.Struct, frozen=True):
    """The age rating of a series, or those of the releases of a movie."""

    iso_3166_1: str
    rating: str | None = None
    release_dates: list[ReleaseDate] = []


class CountryRatings(msgspec.Struct, frozen=True):
    results: list[CountryRating] = []


class TmdbDetails(msgspec.Struct, frozen=True):
    overview: str | None = None
    tagline: str | None = None
    runtime: int | None = None
    episode_run_time: list[int] = []
    release_date: str | None = None
    first_air_date: str | None = None
    status: str | None = None
    vote_average: float | None = None
    vote_count: int | None = None
    belongs_to_collection: Named | None = None
    genres: list[Named] = []
    production_countries: list[Named] = []
    production_companies: list[Named] = []
    networks: list[Named] = []
    created_by: list[Named] = []
    # Of movies and of series.
    credits: Credits = Credits()
    aggregate_credits: Credits = Credits()
    release_dates: CountryRatings = CountryRatings()
    content_ratings: CountryRatings = CountryRatings()
    poster_path: str | None = None
    backdrop_path: str | None = None
    images: Images = Images()
    seasons: list[TmdbSeason] = []


class TmdbEpisode(msgspec.Struct, frozen=True):
    season_number: int
    episode_number: int
    id: int | None = None
    name: str | None = None
    overview: str | None = None
    air_date: str | None = None
    runtime: int | None = None
    vote_average: float | None = None
    still_path: str | None = None
    crew: list[Crew] = []
    order: int = 0


class TmdbEpisodes(msgspec.Struct, frozen=True):
    episodes: list[TmdbEpisode] = []
    order: int = 0


class GroupInfo(msgspec.Struct, frozen=True):
    id: str
    type: int


class Groups(msgspec.Struct, frozen=True):
    results: list[GroupInfo] = []


class Group(msgspec.Struct, frozen=True):
    groups: list[TmdbEpisodes] = []
