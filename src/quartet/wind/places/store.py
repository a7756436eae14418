"""The place index: written as a whole, then read-only."""

from collections.abc import Iterable, Mapping
from contextlib import closing
from pathlib import Path
from typing import Any

from quartet.wind.places.geonames import Town
from quartet.wind.places.name_index import NameEntry, NameIndex, new_edition, write_names
from quartet.wind.places.types import Place

_SCHEMA = """
CREATE TABLE places (
  id INTEGER PRIMARY KEY, name TEXT NOT NULL, country TEXT NOT NULL, region TEXT,
  lat REAL NOT NULL, lon REAL NOT NULL, population INTEGER NOT NULL, kind TEXT NOT NULL
) STRICT;
CREATE TABLE local_names (
  id INTEGER, language TEXT, name TEXT NOT NULL, PRIMARY KEY (id, language)
) STRICT, WITHOUT ROWID;
"""
_MOST_PEOPLE = 100_000_000
# Smaller figures are often outdated.
_COUNTED = 500
Names = Mapping[tuple[int, str], str]


def write_places(path: Path, towns: Iterable[Town], names: Names, version: str) -> None:
    ordered = sorted(towns, key=lambda town: -town.population)
    with new_edition(path) as conn:
        conn.executescript(_SCHEMA)
        conn.executemany(
            "INSERT OR IGNORE INTO places VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
            ((*town[:7], town.kind) for town in ordered),
        )
        conn.executemany(
            "INSERT INTO local_names VALUES (?, ?, ?)",
            ((*key, name) for key, name in names.items()),
        )
        write_names(conn, (_named(town, names) for town in ordered), version)


def _named(town: Town, names: Names) -> NameEntry:
    local = (names.get((town.id, language)) for language in ("de", "en"))
    known = (town.name, *town.others, *(name for name in local if name))
    # The current name first, so that its parts rank like parts of the other names.
    return NameEntry(town.id, _MOST_PEOPLE - min(town.population, _MOST_PEOPLE), known)


def edition(path: Path) -> str | None:
    """Return the version of the index, or None while there is none."""
    return NameIndex(path).version()


def spots(path: Path) -> list[tuple[float, float]]:
    """Return the coordinates of all spots for wind sports."""
    with closing(NameIndex(path).connect()) as conn:
        return conn.execute("SELECT lat, lon FROM places WHERE kind = 'spot'").fetchall()


def find(path: Path, text: str, language: str, limit: int, *, typos: bool = True) -> list[Place]:
    index = NameIndex(path)
    refs = index.find(text, limit, typos=typos)
    if not refs:
        return []
    with closing(index.connect()) as conn:
        marks = ",".join("?" * len(refs))
        rows = conn.execute(
            "SELECT places.id, coalesce(local_names.name, places.name), country, lat, lon, region,"  # noqa: S608
            " population, kind FROM places LEFT JOIN local_names"
            " ON local_names.id = places.id AND language = ?"
            f" WHERE places.id IN ({marks})",
            (language, *refs),
        ).fetchall()
    found = {row[0]: row for row in rows}
    return [_place(found[ref]) for ref in refs if ref in found]


def _place(row: tuple[Any, ...]) -> Place:
    _, name, country, lat, lon, region, people, kind = row
    counted = kind == "town" and people >= _COUNTED
    return Place(name, country, lat, lon, region, people if counted else None, kind)
