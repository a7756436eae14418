"""SQL for downloads that start without waiting for a slot."""

from sqlalchemy import ColumnElement, Connection, update

from quartet.downloads.packages.states import ACTIVE
from quartet.downloads.packages.store import apply_transition
from quartet.downloads.packages.tables import downloads
from quartet.downloads.queue import store


def start_package(conn: Connection, package_id: int) -> None:
    if store.is_collector(conn, package_id):
        store.start_package(conn, package_id)
    _start(conn, downloads.c.package_id == package_id)


def start_download(conn: Connection, id: int) -> None:
    _start(conn, downloads.c.id == id)


def _start(conn: Connection, which: ColumnElement[bool]) -> None:
    apply_transition(conn, "start_now", which, **store.RESET, started_now=True)
    # Running downloads then continue during a pause of the schedule.
    running = update(downloads).where(downloads.c.status.in_(ACTIVE), which)
    conn.execute(running.values(started_now=True))


def start_in_turn(conn: Connection, package_id: int) -> None:
    """Make the downloads of a package need slots again."""
    this = update(downloads).where(downloads.c.package_id == package_id)
    conn.execute(this.values(started_now=False))
