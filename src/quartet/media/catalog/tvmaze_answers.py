"""The answers of TVmaze, with the fields that are used."""

import msgspec


class Externals(msgspec.Struct, frozen=True):
    imdb: str | None = None
    thetvdb: int | None = None


class TvmazeImage(msgspec.Struct, frozen=True):
    medium: str | None = None
    original: str | None = None


class TvmazeImageSize(msgspec.Struct, frozen=True):
    url: str
    width: int = 0


class ShowImage(msgspec.Struct, frozen=True):
    """A picture in several sizes; of each type the main one comes from TVmaze's page."""

    type: str | None = None
    main: bool = False
    resolutions: dict[str, TvmazeImageSize] = {}


class Rating(msgspec.Struct, frozen=True):
    average: float | None = None


class Country(msgspec.Struct, frozen=True):
    code: str


class Channel(msgspec.Struct, frozen=True):
    name: str | None = None
    country: Country | None = None


class TvmazeShow(msgspec.Struct, frozen=True):
    id: int
    name: str
    premiered: str | None = None
    image: TvmazeImage | None = None
    externals: Externals = Externals()
    rating: Rating = Rating()
    genres: list[str] = []
    network: Channel | None = None
    web_channel: Channel | None = msgspec.field(name="webChannel", default=None)


class TvMazeHit(msgspec.Struct, frozen=True):
    show: TvmazeShow


class Aka(msgspec.Struct, frozen=True):
    name: str


class TvMazeEpisode(msgspec.Struct, frozen=True):
    season: int
    number: int | None = None
    id: int | None = None
    name: str | None = None
    airdate: str | None = None
    runtime: int | None = None
    # HTML
    summary: str | None = None
    image: TvmazeImage | None = None
    rating: Rating = Rating()


class AlternateList(msgspec.Struct, frozen=True):
    id: int
    dvd_release: bool | None = None


class Embedded(msgspec.Struct, frozen=True):
    episodes: list[TvMazeEpisode] = []


class Alternate(msgspec.Struct, frozen=True):
    season: int
    number: int | None = None
    name: str | None = None
    embedded: Embedded = msgspec.field(name="_embedded", default=Embedded())


class TvMazePerson(msgspec.Struct, frozen=True):
    name: str
    image: TvmazeImage | None = None


class TvMazeRole(msgspec.Struct, frozen=True):
    person: TvMazePerson
    character: Aka | None = None


class EmbeddedCast(msgspec.Struct, frozen=True):
    cast: list[TvMazeRole] = []


class TvMazeDetails(msgspec.Struct, frozen=True):
    # HTML
    summary: str | None = None
    runtime: int | None = None
    average_runtime: int | None = msgspec.field(name="averageRuntime", default=None)
    premiered: str | None = None
    status: str | None = None
    genres: list[str] = []
    rating: Rating = Rating()
    network: Channel | None = None
    web_channel: Channel | None = msgspec.field(name="webChannel", default=None)
    embedded: EmbeddedCast = msgspec.field(name="_embedded", default=EmbeddedCast())
