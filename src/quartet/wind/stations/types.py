import msgspec

from quartet.wind.places.types import Place, Point

# Latitude, longitude and id of a station.
Position = tuple[float, float, int]


class Codes(msgspec.Struct, frozen=True, omit_defaults=True):
    icao: str | None = None
    wmo: str | None = None
    dwd: str | None = None


class Station(msgspec.Struct, frozen=True, omit_defaults=True):
    """`live`: wind was measured within the last hours; `elevation` in metres."""

    slug: str
    name: str
    codes: Codes
    lat: float
    lon: float
    country: str
    timezone: str
    live: bool
    city: str | None = None
    region: str | None = None
    elevation: float | None = None


class KnownStation(msgspec.Struct, frozen=True):
    """A station from a list or the database."""

    name: str
    lat: float
    lon: float
    codes: Codes
    country: str
    timezone: str
    city: str | None = None
    region: str | None = None
    elevation: float | None = None
    slug: str = ""
    id: int = 0

    def shown(self, live: bool) -> Station:
        return Station(
            self.slug,
            self.name,
            self.codes,
            self.lat,
            self.lon,
            self.country,
            self.timezone,
            live,
            self.city,
            self.region,
            self.elevation,
        )


class Found(msgspec.Struct, frozen=True, omit_defaults=True):
    """`point` is set if the text is a pair of coordinates."""

    stations: list[Station]
    places: list[Place]
    point: Point | None = None
