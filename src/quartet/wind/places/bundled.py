"""The places included in the package: towns of GeoNames and spots known for wind sports.

`towns.tsv.gz` has the European towns with 5,000 inhabitants and those of 50,000 elsewhere, from
GeoNames (CC BY 4.0). `spots.tsv` was compiled by hand for this project. `shores.tsv` has towns at
the water, moved onto it; its first lines name its sources and licences. `exonyms.tsv` has German
and English names of well-known towns, `regions.tsv` other names of the regions of the spots.
"""

import gzip
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from quartet.wind.places.geonames import WEIGHTS, Town

_FOLDER = Path(__file__).parent / "built_in"
# Above all numbers of GeoNames.
_FIRST_SPOT = 10**12
_SPOT_FILES = ("spots.tsv", "shores.tsv")


def bundled_towns() -> Iterator[Town]:
    with gzip.open(_FOLDER / "towns.tsv.gz", "rt", encoding="utf-8") as lines:
        for line in lines:
            number, name, country, lat, lon, people, others = line.rstrip("\n").split("\t")
            known = others.split(",")
            yield Town(
                int(number),
                name,
                country,
                None,
                float(lat),
                float(lon),
                int(people),
                tuple(each for each in known if each),
            )


class RegionNames(NamedTuple):
    """People also search by `others`."""

    de: str
    en: str
    others: tuple[str, ...]


def bundled_regions() -> dict[str, RegionNames]:
    """Return other names by the name in the lists of spots."""
    regions = {}
    with (_FOLDER / "regions.tsv").open(encoding="utf-8") as lines:
        for line in lines:
            if not line.startswith("#"):
                name, german, english, others = line.rstrip("\n").split("\t")
                more = tuple(each for each in others.split(",") if each)
                regions[name] = RegionNames(german or name, english or name, more)
    return regions


def bundled_spots() -> Iterator[Town]:
    number, regions = _FIRST_SPOT, bundled_regions()
    for name in _SPOT_FILES:
        with (_FOLDER / name).open(encoding="utf-8") as lines:
            for line in lines:
                if not line.startswith("#"):
                    yield _spot(number, line, regions)
                    number += 1


def _spot(number: int, line: str, regions: dict[str, RegionNames]) -> Town:
    name, country, lat, lon, region = line.rstrip("\n").split("\t")
    known = regions.get(region, RegionNames(region, region, ()))
    # "Tarifa" also finds the spots there, and so does "Gardasee".
    around = dict.fromkeys((region, known.de, known.en, *known.others)) if region else ()
    others = tuple(f"{each} {name}" for each in around)
    weight = WEIGHTS["spot"]
    return Town(
        number, name, country, region or None, float(lat), float(lon), weight, others, "spot"
    )


def bundled_exonyms() -> dict[tuple[int, str], str]:
    """Return names by number of GeoNames and language, so that no namesake is renamed."""
    names = {}
    with (_FOLDER / "exonyms.tsv").open(encoding="utf-8") as lines:
        for line in lines:
            if not line.startswith("#"):
                number, _, german, english = line.rstrip("\n").split("\t")
                names[int(number), "de"] = german
                names[int(number), "en"] = english
    return {key: name for key, name in names.items() if name}
