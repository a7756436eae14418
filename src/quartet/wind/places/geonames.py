"""Parsers for the GeoNames dumps."""

from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple

from quartet.wind.places.types import PlaceKind

_COLUMNS = 19
_LANGUAGES = ("de", "en")
# Places without inhabitants rank like towns of this size, so that a known beach is not behind
# every village of the same name.
WEIGHTS: dict[PlaceKind, int] = {
    "spot": 20_000,
    "lake": 5_000,
    "island": 4_000,
    "beach": 3_000,
    "bay": 2_000,
    "cape": 2_000,
    "harbour": 1_500,
}
# Feature classes H (water), T (terrain) and S (buildings) with the codes that matter here.
_FEATURES: dict[tuple[str, str], PlaceKind] = {
    ("H", "LK"): "lake",
    ("H", "LKS"): "lake",
    ("H", "LGN"): "lake",
    ("H", "RSV"): "lake",
    ("H", "BAY"): "bay",
    ("H", "BAYS"): "bay",
    ("H", "COVE"): "bay",
    ("H", "FJD"): "bay",
    ("H", "SD"): "bay",
    ("H", "HBR"): "harbour",
    ("H", "ANCH"): "harbour",
    ("S", "MAR"): "harbour",
    ("L", "PRT"): "harbour",
    ("T", "BCH"): "beach",
    ("T", "BCHS"): "beach",
    ("T", "SPIT"): "beach",
    ("T", "CAPE"): "cape",
    ("T", "HDLD"): "cape",
    ("T", "PT"): "cape",
    ("T", "PEN"): "cape",
    ("T", "ISL"): "island",
}
# Limits the number of alternative names per place.
_MOST_NAMES = 60


class Town(NamedTuple):
    id: int
    name: str
    country: str
    region: str | None
    lat: float
    lon: float
    # The population of a town; other kinds have a number that ranks them among towns.
    population: int
    others: tuple[str, ...]
    kind: PlaceKind = "town"


def towns(lines: Iterable[str], regions: Mapping[str, str]) -> Iterator[Town]:
    """Parse `cities1000.txt` and similar files; skip invalid lines."""
    for line in lines:
        fields = line.rstrip("\n").split("\t")
        if len(fields) != _COLUMNS or fields[6] != "P":
            continue
        try:
            yield _town(fields, regions)
        except ValueError:
            continue


def features(lines: Iterable[str], regions: Mapping[str, str]) -> Iterator[Town]:
    """Parse a dump of a country or of the whole world for places at the water; skip the rest."""
    for line in lines:
        fields = line.rstrip("\n").split("\t")
        kind = _FEATURES.get((fields[6], fields[7])) if len(fields) == _COLUMNS else None
        if kind is None:
            continue
        try:
            yield _town(fields, regions)._replace(kind=kind, population=WEIGHTS[kind])
        except ValueError:
            continue


def _town(fields: list[str], regions: Mapping[str, str]) -> Town:
    lat, lon = float(fields[4]), float(fields[5])
    if not (abs(lat) <= 90 and abs(lon) <= 180):
        raise ValueError("coordinates out of range")
    others = [name for name in fields[3].split(",") if len(name) > 1]
    return Town(
        int(fields[0]),
        fields[1],
        fields[8],
        regions.get(f"{fields[8]}.{fields[10]}"),
        lat,
        lon,
        int(fields[14] or 0),
        (fields[2], *others[:_MOST_NAMES]),
    )


def regions_of(lines: Iterable[str]) -> dict[str, str]:
    """Parse `admin1CodesASCII.txt`: codes such as DE.10 and their names."""
    rows = (line.rstrip("\n").split("\t") for line in lines)
    return {row[0]: row[1] for row in rows if len(row) >= 2}


def local_names(lines: Iterable[str]) -> Iterator[tuple[int, str, str]]:
    """Parse `alternateNamesV2.txt`; yield town, language and name, preferred names last."""
    preferred = []
    for line in lines:
        fields = line.rstrip("\n").split("\t")
        if len(fields) < 4 or fields[2] not in _LANGUAGES or not fields[1].isdigit():
            continue
        flags = fields[4:8] + [""] * 4
        if flags[2] == "1" or flags[3] == "1":  # colloquial or historic
            continue
        row = (int(fields[1]), fields[2], fields[3])
        if flags[0] == "1":
            preferred.append(row)
        else:
            yield row
    yield from preferred
