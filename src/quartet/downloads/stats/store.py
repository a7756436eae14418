from sqlalchemy import Connection, func, select

from quartet.downloads.packages.tables import downloads
from quartet.downloads.stats.types import Counts


def counts(conn: Connection, today: int) -> Counts:
    """`today` is the start of the day in Unix milliseconds."""
    rest = func.sum(downloads.c.size - downloads.c.bytes_done)
    query = select(downloads.c.status, func.count(), rest).group_by(downloads.c.status)
    found = {status: (number, left) for status, number, left in conn.execute(query)}
    done, done_bytes = conn.execute(
        select(func.count(), func.sum(downloads.c.size)).where(
            downloads.c.status == "finished", downloads.c.finished_at >= today
        )
    ).one()
    numbers = {status: number for status, (number, _) in found.items()}
    return Counts(
        collected=numbers.get("collected", 0) + numbers.get("crawling", 0),
        queued=numbers.get("queued", 0),
        queued_bytes=int(found.get("queued", (0, 0))[1] or 0),
        paused=numbers.get("paused", 0),
        finished=numbers.get("finished", 0),
        failed=numbers.get("failed", 0),
        finished_today=done,
        finished_today_bytes=int(done_bytes or 0),
    )
