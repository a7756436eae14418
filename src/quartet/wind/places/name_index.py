"""Name index in a SQLite file: prefix search that tolerates one typo."""

import json
import secrets
import sqlite3
import string
from collections.abc import Iterable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import NamedTuple

from quartet.wind.places.name_folding import fold, keys_of

_SCHEMA = """
CREATE TABLE names (
  key TEXT, rank INTEGER, ref INTEGER, PRIMARY KEY (key, rank, ref)
) STRICT, WITHOUT ROWID;
CREATE TABLE short (prefix TEXT, place INTEGER, ref INTEGER, PRIMARY KEY (prefix, place))
  STRICT, WITHOUT ROWID;
CREATE TABLE edition (version TEXT NOT NULL) STRICT;
"""
# Short prefixes match thousands of names, so their best matches are precomputed.
_SHORT = 5
_BEST = 20
# Typos are corrected only for queries of this length.
_TYPO_LENGTHS = range(4, 25)
_LETTERS = string.ascii_lowercase + " "
_AFTER = "\U0010ffff"


class NameEntry(NamedTuple):
    """An entry of the index; a lower `rank` comes first."""

    ref: int
    rank: int
    names: tuple[str, ...]


def write_names(conn: sqlite3.Connection, entries: Iterable[NameEntry], version: str) -> None:
    """Write the index; entries must be sorted, best first."""
    conn.executescript(_SCHEMA)
    conn.execute("INSERT INTO edition VALUES (?)", (version,))
    best: dict[str, list[int]] = {}
    conn.executemany("INSERT OR IGNORE INTO names VALUES (?, ?, ?)", _rows(entries, best))
    conn.executemany(
        "INSERT INTO short VALUES (?, ?, ?)",
        ((prefix, place, ref) for prefix, refs in best.items() for place, ref in enumerate(refs)),
    )


def _rows(
    entries: Iterable[NameEntry], best: dict[str, list[int]]
) -> Iterator[tuple[str, int, int]]:
    for entry in entries:
        keys: dict[str, int] = {}
        for name in entry.names:
            for key, distance in keys_of(name):
                keys[key] = min(distance, keys.get(key, distance))
        for key, distance in keys.items():
            yield key, 2 * entry.rank + distance, entry.ref
        for prefix in {key[:length] for key in keys for length in range(1, _SHORT + 1)}:
            refs = best.setdefault(prefix, [])
            if len(refs) < _BEST:
                refs.append(entry.ref)


@contextmanager
def new_edition(path: Path) -> Iterator[sqlite3.Connection]:
    """Write a new file next to the current one and replace it when complete."""
    path.parent.mkdir(parents=True, exist_ok=True)
    partial = path.with_name(f"{path.name}.{secrets.token_hex(4)}.partial")
    try:
        with closing(sqlite3.connect(partial)) as conn, conn:
            yield conn
        partial.replace(path)
    finally:
        partial.unlink(missing_ok=True)


class NameIndex:
    """Opens the file for each query, so that a replaced file is used immediately."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def find(self, text: str, limit: int, *, typos: bool = True) -> list[int]:
        """Return the refs of the best matches; empty while there is no file.

        With `typos`, names with one typo are found if no other name matches.
        """
        key = fold(text)
        if not key or not self.path.exists():
            return []
        with closing(self.connect()) as conn:
            found = _beginning(conn, key, limit)
            if typos and not found and len(key) in _TYPO_LENGTHS:
                found = _mistyped(conn, key, limit)
        return found

    def version(self) -> str | None:
        if not self.path.exists():
            return None
        with closing(self.connect()) as conn:
            return str(conn.execute("SELECT version FROM edition").fetchone()[0])

    def connect(self) -> sqlite3.Connection:
        return sqlite3.connect(f"{self.path.absolute().as_uri()}?mode=ro&immutable=1", uri=True)


def _beginning(conn: sqlite3.Connection, key: str, limit: int) -> list[int]:
    # An exact match comes before longer names, otherwise it could be unreachable.
    exact = conn.execute(
        "SELECT ref FROM names WHERE key = ? AND rank % 2 = 0 ORDER BY rank LIMIT ?", (key, limit)
    )
    found = dict.fromkeys(ref for (ref,) in exact)
    rest = conn.execute("SELECT ref FROM short WHERE prefix = ? ORDER BY place", (key,)).fetchall()
    if not rest:
        rest = conn.execute(
            "SELECT ref FROM names WHERE key >= ? AND key < ? GROUP BY ref ORDER BY min(rank)"
            " LIMIT ?",
            (key, key + _AFTER, limit),
        ).fetchall()
    found |= dict.fromkeys(ref for (ref,) in rest)
    return list(found)[:limit]


def _mistyped(conn: sqlite3.Connection, key: str, limit: int) -> list[int]:
    # One query for all variants, because there are hundreds.
    others = json.dumps(sorted(set(_typos(key))))
    found = conn.execute(
        "SELECT ref FROM json_each(?) AS other CROSS JOIN names"
        " WHERE names.key >= other.value AND names.key < other.value || ?"
        " GROUP BY ref ORDER BY min(rank), ref LIMIT ?",
        (others, _AFTER, limit),
    )
    return [ref for (ref,) in found]


def _typos(key: str) -> Iterator[str]:
    """Yield variants with one letter removed, added, replaced or swapped, but not the first."""
    for place in range(1, len(key)):
        head, tail = key[:place], key[place:]
        yield head + tail[1:]
        if len(tail) > 1:
            yield head + tail[1] + tail[0] + tail[2:]
        for letter in _LETTERS:
            yield head + letter + tail[1:]
            yield head + letter + tail
