from sqlalchemy import Connection, func, select

from quartet.downloads.bittorrent.magnets import HOST_PREFIX
from quartet.downloads.history.store import TORRENT
from quartet.downloads.history.tables import history, history_days
from quartet.downloads.packages.tables import downloads


def hosts(conn: Connection, most: int) -> dict[str, int | None]:
    """Return hosts of the queue and the link grabber with their newest download, newest first.

    They are followed by hosts of the history, which have none.
    """
    newest, day = func.max(downloads.c.id), func.max(history_days.c.day)
    present = (
        select(downloads.c.host, newest)
        .where(downloads.c.host.not_like(f"{HOST_PREFIX}%"))
        .group_by(downloads.c.host)
        .order_by(newest.desc())
        .limit(most)
    )
    former = (
        select(history_days.c.host)
        .where(history_days.c.host != TORRENT)
        .group_by(history_days.c.host)
        .order_by(day.desc(), history_days.c.host)
        .limit(most)
    )
    found: dict[str, int | None] = {host: id for host, id in conn.execute(present)}
    return found | {host: None for host in conn.execute(former).scalars() if host not in found}


def link(conn: Connection, host: str, download_id: int | None) -> str | None:
    """Return the link of the download, or one of the history at this host."""
    query = select(downloads.c.url).where(downloads.c.id == download_id)
    if download_id is None:
        query = select(history.c.url).where(history.c.host == host)
        query = query.order_by(history.c.id.desc()).limit(1)
    return conn.execute(query).scalar_one_or_none()
