"""The database of pyLoad, an SQLite file with its queue and its collector."""

import sqlite3
from contextlib import closing

from quartet.downloads.containers.types import ContainerPackage
from quartet.kernel.errors import AppError
from quartet.kernel.files import safe_name

MOST_LINKS = 20_000
# A prepared file could contain a view that never ends.
MOST_STEPS = 50_000_000
_STEPS_PER_CALL = 1_000_000
_FINISHED = 0
_LINKS = """
    SELECT packages.id, packages.name, packages.password, links.url
    FROM packages JOIN links ON links.package = packages.id
    WHERE links.status != ?
    ORDER BY packages.packageorder, packages.id, links.linkorder, links.id
"""


def packages_of_pyload(content: bytes) -> list[ContainerPackage]:
    """Return the packages with the links that are not finished."""
    packages: dict[int, ContainerPackage] = {}
    for id, name, password, url in _rows(content):
        passwords = str(password or "").splitlines()
        package = packages.get(id) or ContainerPackage(safe_name(str(name)), "", {}, passwords)
        packages[id] = package._replace(links=f"{package.links}{url}\n")
    return list(packages.values())


def _rows(content: bytes) -> list[tuple[int, str, str | None, str]]:
    calls = iter(range(MOST_STEPS // _STEPS_PER_CALL))
    with closing(sqlite3.connect(":memory:")) as database:
        database.set_progress_handler(lambda: next(calls, None) is None, _STEPS_PER_CALL)
        try:
            database.deserialize(content)
            database.execute("PRAGMA trusted_schema = OFF")
            rows = database.execute(_LINKS, (_FINISHED,)).fetchmany(MOST_LINKS + 1)
        except sqlite3.Error:
            raise AppError(422, "container_unknown") from None
    if len(rows) > MOST_LINKS:
        raise AppError(413, "too_many_links", limit=MOST_LINKS)
    return rows
