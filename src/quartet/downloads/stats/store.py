from sqlalchemy import Connection, func, select, true

from quartet.downloads.history.tables import history
from quartet.downloads.packages.tables import downloads, packages
from quartet.downloads.stats.types import Counts


def counts(conn: Connection, today: int) -> Counts:
    """`today` is the start of the day in Unix milliseconds."""
    rest = func.sum(downloads.c.size - downloads.c.bytes_done)
    query = select(downloads.c.status, func.count(), rest).group_by(downloads.c.status)
    found = {status: (number, left) for status, number, left in conn.execute(query)}
    done, done_bytes = _finished_since(conn, today)
    numbers = {status: number for status, (number, _) in found.items()}
    return Counts(
        collected=_collected(conn),
        queued=numbers.get("queued", 0),
        queued_bytes=int(found.get("queued", (0, 0))[1] or 0),
        paused=numbers.get("paused", 0),
        finished=numbers.get("finished", 0),
        failed=numbers.get("failed", 0),
        finished_today=done,
        finished_today_bytes=done_bytes,
    )


def _collected(conn: Connection) -> int:
    """Return the number of links in the link grabber; a started package may have offline ones."""
    query = (
        select(func.count())
        .select_from(downloads)
        .join(packages, packages.c.id == downloads.c.package_id)
        .where(downloads.c.status.in_(("collected", "crawling")), packages.c.collector == true())
    )
    return conn.execute(query).scalar_one()


def _finished_since(conn: Connection, time: int) -> tuple[int, int]:
    """Return the number and the bytes of the downloads that finished since then.

    The queue lacks those that were removed since, and the history those that finished while it was
    turned off or that were removed from it, so the one that knows more counts.
    """
    listed = select(func.count(), func.sum(downloads.c.size)).where(
        downloads.c.status == "finished", downloads.c.finished_at >= time
    )
    recorded = select(func.count(), func.sum(history.c.size)).where(history.c.finished_at >= time)
    found = (conn.execute(query).one() for query in (listed, recorded))
    # PostgreSQL returns sums of big integers as decimals.
    return max((number, int(size or 0)) for number, size in found)
