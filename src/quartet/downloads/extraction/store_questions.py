"""Archives that wait until somebody has typed a password."""

from sqlalchemy import Connection, select

from quartet.downloads.extraction import store
from quartet.downloads.extraction.tables import extractions
from quartet.downloads.packages.tables import packages
from quartet.kernel.errors import Problem


def postpone(conn: Connection, path: str) -> int | None:
    """Back among what is still to do; gives the package it is unpacked for, if there is one."""
    query = select(extractions.c.package_id).where(extractions.c.path == path)
    package_id = conn.execute(query).scalar_one_or_none()
    if package_id is None:
        store.settle(conn, path, "pending")
    else:
        store.forget(conn, [path])
        store.set_package(conn, package_id, "pending")
    return package_id


def is_awaited(conn: Connection, path: str, package_id: int | None) -> bool:
    """False when the package or the wish is gone."""
    if package_id is None:
        return store.is_wanted(conn, path)
    query = select(packages.c.id).where(packages.c.id == package_id)
    return conn.execute(query).first() is not None


def give_up(conn: Connection, path: str, package_id: int | None, problem: Problem) -> None:
    if package_id is not None and is_awaited(conn, path, package_id):
        store.begin(conn, path, package_id)
    store.settle(conn, path, "failed", error=problem)
