"""Builds the place index from GeoNames dumps.

Runs as a separate program, so that the service stays responsive:
`python -m quartet.wind.places.build_index FOLDER VERSION`.
"""

import io
import os
import sys
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from quartet.kernel.errors import AppError
from quartet.wind.places import store
from quartet.wind.places.bundled import bundled_exonyms, bundled_spots, bundled_towns
from quartet.wind.places.extracts import read_saved, saved_extracts
from quartet.wind.places.geonames import local_names, regions_of, towns

CITIES, REGIONS, NAMES = "cities1000.zip", "admin1CodesASCII.txt", "alternateNamesV2.zip"
PLACES = "places.sqlite3"
_MOST_BYTES = {CITIES: 200_000_000, NAMES: 2_000_000_000}
# The service has priority over this process.
_NICENESS = 10


def build(folder: Path, version: str) -> None:
    regions = {}
    if (folder / REGIONS).exists():
        with (folder / REGIONS).open(encoding="utf-8", errors="replace") as lines:
            regions = regions_of(lines)
    if (folder / CITIES).exists():
        with _lines(folder / CITIES) as lines:
            found = list(towns(lines, regions))
    else:
        found = list(bundled_towns())
    if not found:
        raise AppError(502, "places_unreadable")
    found += bundled_spots()
    for path in saved_extracts(folder):
        found += read_saved(path)
    known = {town.id for town in found}
    names = {key: name for key, name in bundled_exonyms().items() if key[0] in known}
    if (folder / NAMES).exists():
        with _lines(folder / NAMES) as lines:
            names |= {
                (town, language): name
                for town, language, name in local_names(lines)
                if town in known
            }
    store.write_places(folder / PLACES, found, names, version)


@contextmanager
def _lines(path: Path) -> Iterator[Iterator[str]]:
    """Yield the lines of the text file with the archive's name."""
    try:
        with zipfile.ZipFile(path) as archive:
            member = archive.getinfo(f"{path.stem}.txt")
            if member.file_size > _MOST_BYTES[path.name]:
                raise AppError(502, "places_unreadable")
            with archive.open(member) as file:
                yield iter(io.TextIOWrapper(file, "utf-8", "replace"))
    except (zipfile.BadZipFile, KeyError) as error:
        raise AppError(502, "places_unreadable") from error


def main() -> int:
    os.nice(_NICENESS)
    try:
        build(Path(sys.argv[1]), sys.argv[2])
    except (AppError, OSError) as error:
        sys.stderr.write(f"places: {error}\n")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
