"""The database of pyLoad, an SQLite file with its queue and its collector."""

import sqlite3
from collections.abc import Iterable
from contextlib import closing

from quartet.downloads.containers.types import ContainerPackage
from quartet.kernel.errors import AppError
from quartet.kernel.files import safe_name

MOST_LINKS = 20_000
MOST_BYTES = 16 << 20
LONGEST_VALUE = 64 << 10
# A prepared file could have tables whose combination is endless.
MOST_STEPS = 50_000_000
_STEPS_PER_CALL = 1_000_000
_FINISHED = 0
# The id, name and passwords of a package, and the address of a link.
Row = tuple[int, str, str | None, str]
_LINKS = """
    SELECT packages.id, packages.name, packages.password, links.url
    FROM packages JOIN links ON links.package = packages.id
    WHERE links.status != ?
    ORDER BY packages.packageorder, packages.id, links.linkorder, links.id
"""


def packages_of_pyload(content: bytes) -> list[ContainerPackage]:
    """Return the packages with the links that are not finished."""
    rows = _rows(content)
    urls: dict[int, list[str]] = {}
    for id, _name, _password, url in rows:
        urls.setdefault(id, []).append(str(url))
    described = {id: (str(name), str(password or "")) for id, name, password, _url in rows}
    return [
        ContainerPackage(safe_name(name), "\n".join(urls[id]), {}, password.splitlines())
        for id, (name, password) in described.items()
    ]


def _rows(content: bytes) -> list[Row]:
    calls = iter(range(MOST_STEPS // _STEPS_PER_CALL))
    with closing(sqlite3.connect(":memory:")) as database:
        database.set_progress_handler(lambda: next(calls, None) is None, _STEPS_PER_CALL)
        try:
            database.deserialize(content)
            database.execute("PRAGMA trusted_schema = OFF")
            database.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, LONGEST_VALUE)
            database.set_authorizer(_only_tables)
            return _limited(database.execute(_LINKS, (_FINISHED,)))
        except sqlite3.Error:
            raise AppError(422, "container_unknown") from None


def _only_tables(
    action: int, _table: str | None, _column: str | None, _database: str | None, view: str | None
) -> int:
    """Deny views and functions: one call can take minutes or a gigabyte."""
    reads = action in (sqlite3.SQLITE_SELECT, sqlite3.SQLITE_READ) and view is None
    return sqlite3.SQLITE_OK if reads else sqlite3.SQLITE_DENY


def _limited(rows: Iterable[Row]) -> list[Row]:
    found: list[Row] = []
    size = 0
    for row in rows:
        found.append(row)
        size += sum(len(str(value)) for value in row)
        if len(found) > MOST_LINKS:
            raise AppError(413, "too_many_links", limit=MOST_LINKS)
        if size > MOST_BYTES:
            raise AppError(413, "too_large", limit=MOST_BYTES)
    return found
