import msgspec


class Point(msgspec.Struct, frozen=True):
    lat: float
    lon: float


class Place(msgspec.Struct, frozen=True, omit_defaults=True):
    """`country` is the two-letter code."""

    name: str
    country: str
    lat: float
    lon: float
    region: str | None = None
    population: int | None = None
