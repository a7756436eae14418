"""The places included in the package: towns of GeoNames and spots known for wind sports.

`towns.tsv.gz` has the European towns with 5,000 inhabitants and those of 50,000 elsewhere, from
GeoNames (CC BY 4.0). `spots.tsv` was compiled by hand for this project.
"""

import gzip
from collections.abc import Iterator
from pathlib import Path

from quartet.wind.places.geonames import WEIGHTS, Town

_FOLDER = Path(__file__).parent / "built_in"
# Above all numbers of GeoNames.
_FIRST_SPOT = 10**12


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


def bundled_spots() -> Iterator[Town]:
    with (_FOLDER / "spots.tsv").open(encoding="utf-8") as lines:
        for number, line in enumerate(lines, _FIRST_SPOT):
            name, country, lat, lon, region = line.rstrip("\n").split("\t")
            # "Tarifa" also finds the spots there.
            others = (f"{region} {name}",)
            yield Town(
                number,
                name,
                country,
                region,
                float(lat),
                float(lon),
                WEIGHTS["spot"],
                others,
                "spot",
            )
