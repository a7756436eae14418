from sqlalchemy import Connection, update

from quartet.media.jobs.tables import jobs
from quartet.media.moves.tables import operations


def move_into_past(conn: Connection, job_id: int, at_ms: int) -> None:
    """Make a job of the demo look as if it had run at this time."""
    times = {"created_at": at_ms, "finished_at": at_ms}
    conn.execute(update(jobs).where(jobs.c.id == job_id).values(times))
    query = update(operations).where(operations.c.job_id == job_id).values(executed_at=at_ms)
    conn.execute(query)
