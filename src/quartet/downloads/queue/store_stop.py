"""SQL for a queue that stops after the running downloads."""

from sqlalchemy import (
    ColumnElement,
    Connection,
    and_,
    delete,
    exists,
    false,
    func,
    insert,
    or_,
    select,
    true,
    update,
)

from quartet.downloads.packages.states import ACTIVE
from quartet.downloads.packages.tables import downloads, packages
from quartet.downloads.queue import store
from quartet.downloads.queue.tables import queue_stop
from quartet.downloads.queue.torrents import store as torrent_store
from quartet.kernel.clock import now_ms

_ONLY = 1
IS_STOPPING = exists(select(queue_stop.c.id))
# Must end before the stop: active downloads, and those that wait because of a retry, a pause of the
# schedule or a restart of the service.
_RUNNING: ColumnElement[bool] = or_(
    downloads.c.status.in_(ACTIVE),
    and_(
        downloads.c.status == "queued",
        or_(downloads.c.before_stop == true(), downloads.c.started_now == true()),
    ),
)


def is_stopping(conn: Connection) -> bool:
    return conn.execute(select(queue_stop.c.id)).first() is not None


def ask(conn: Connection) -> None:
    """Let the running downloads end, and start no others."""
    if is_stopping(conn):
        return
    conn.execute(insert(queue_stop).values(id=_ONLY, asked_at=now_ms()))
    running = update(downloads).where(downloads.c.status.in_(ACTIVE))
    conn.execute(running.values(before_stop=True))


def cancel(conn: Connection) -> bool:
    """Let the queue start downloads again; return False if it was not about to stop."""
    if not conn.execute(delete(queue_stop)).rowcount:
        return False
    marked = update(downloads).where(downloads.c.before_stop == true())
    conn.execute(marked.values(before_stop=False))
    return True


def left(conn: Connection) -> int | None:
    """Return how many downloads must end before the queue stops; None if it does not stop."""
    if not is_stopping(conn):
        return None
    query = select(func.count()).select_from(downloads).where(_RUNNING)
    return conn.execute(query).scalar_one()


def stop_if_ended(conn: Connection) -> bool:
    """Pause everything that is left, unless a download must still end."""
    if left(conn) != 0 or _is_searching(conn):
        return False
    cancel(conn)
    store.pause(conn)
    torrent_store.stop_all_seeding(conn)
    return True


def _is_searching(conn: Connection) -> bool:
    """Return whether links of the queue are being searched, which adds downloads to it."""
    query = (
        select(downloads.c.id)
        .join(packages, packages.c.id == downloads.c.package_id)
        .where(downloads.c.status == "crawling", packages.c.collector == false())
    )
    return conn.execute(query.limit(1)).first() is not None
