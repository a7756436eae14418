"""The file of places: made anew as a whole, then only read."""

import sqlite3
from collections.abc import Iterable, Mapping
from contextlib import closing
from pathlib import Path

from quartet.wind.places.geonames import Town
from quartet.wind.places.names import Named, NameIndex, new_file, write_names
from quartet.wind.places.types import Place

_SCHEMA = """
CREATE TABLE places (
  id INTEGER PRIMARY KEY, name TEXT NOT NULL, country TEXT NOT NULL, region TEXT,
  lat REAL NOT NULL, lon REAL NOT NULL, population INTEGER NOT NULL
) STRICT;
CREATE TABLE local_names (
  id INTEGER, language TEXT, name TEXT NOT NULL, PRIMARY KEY (id, language)
) STRICT, WITHOUT ROWID;
CREATE TABLE edition (version TEXT NOT NULL) STRICT;
"""
_MOST_PEOPLE = 100_000_000
Names = Mapping[tuple[int, str], str]


def write_places(path: Path, towns: Iterable[Town], names: Names, version: str) -> int:
    """Gives the number of places."""
    partial = new_file(path)
    ordered = sorted(towns, key=lambda town: -town.population)
    try:
        with closing(sqlite3.connect(partial)) as conn, conn:
            conn.executescript(_SCHEMA)
            conn.executemany(
                "INSERT OR IGNORE INTO places VALUES (?, ?, ?, ?, ?, ?, ?)",
                (town[:7] for town in ordered),
            )
            conn.executemany(
                "INSERT INTO local_names VALUES (?, ?, ?)",
                ((*key, name) for key, name in names.items()),
            )
            conn.execute("INSERT INTO edition VALUES (?)", (version,))
            write_names(conn, (_named(town, names) for town in ordered))
        partial.replace(path)
    finally:
        partial.unlink(missing_ok=True)
    return len(ordered)


def _named(town: Town, names: Names) -> Named:
    local = (names.get((town.id, language)) for language in ("de", "en"))
    known = (town.name, *town.others, *(name for name in local if name))
    # The name in use first, so that a part of it counts as much as a part of others.
    return Named(town.id, (_MOST_PEOPLE - min(town.population, _MOST_PEOPLE)) * 2, known)


def version_of(path: Path) -> str | None:
    if not path.exists():
        return None
    with closing(NameIndex(path).connect()) as conn:
        row = conn.execute("SELECT version FROM edition").fetchone()
    return str(row[0]) if row else None


def find(path: Path, text: str, language: str, limit: int) -> list[Place]:
    index = NameIndex(path)
    refs = index.find(text, limit)
    if not refs:
        return []
    with closing(index.connect()) as conn:
        marks = ",".join("?" * len(refs))
        rows = conn.execute(
            "SELECT places.id, coalesce(local_names.name, places.name), country, lat, lon, region,"  # noqa: S608
            " population FROM places LEFT JOIN local_names"
            " ON local_names.id = places.id AND language = ?"
            f" WHERE places.id IN ({marks})",
            (language, *refs),
        ).fetchall()
    found = {row[0]: row for row in rows}
    return [Place(*found[ref][1:6], found[ref][6] or None) for ref in refs if ref in found]
