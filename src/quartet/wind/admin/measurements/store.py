from sqlalchemy import Connection, func, select

from quartet.wind.observations.tables import measurements, tafs


def counts_since(conn: Connection, since: int) -> dict[str, int]:
    """Of each source; the index of times keeps it cheap."""
    rows = conn.execute(
        select(measurements.c.source, func.count())
        .where(measurements.c.time >= since)
        .group_by(measurements.c.source)
    )
    return {source: count for source, count in rows}


def newest(conn: Connection, source: str) -> int | None:
    """From the newest on backwards until one is found."""
    latest = select(measurements.c.time).where(measurements.c.source == source)
    return conn.execute(latest.order_by(measurements.c.time.desc()).limit(1)).scalar()


def newest_taf(conn: Connection) -> int | None:
    return conn.execute(select(func.max(tafs.c.issued))).scalar()


def count_tafs(conn: Connection, since: int) -> int:
    recent = select(func.count()).select_from(tafs).where(tafs.c.issued >= since)
    return conn.execute(recent).scalar_one()
