"""The log of what went wrong with each download."""

import msgspec
from sqlalchemy import Connection, delete, insert, select

from quartet.downloads.packages.store import download_of
from quartet.downloads.packages.tables import downloads
from quartet.downloads.packages.types import Download
from quartet.downloads.queue.tables import attempts
from quartet.downloads.queue.types import Attempt
from quartet.kernel.clock import now_ms
from quartet.kernel.errors import Problem

# Who has tried more often has nothing new to tell.
KEPT = 20
_SHOWN = [downloads.c[field] for field in Download.__struct_fields__]


def add(conn: Connection, download_id: int, problem: Problem) -> None:
    done = select(downloads.c.bytes_done).where(downloads.c.id == download_id).scalar_subquery()
    row = {"ended_at": now_ms(), "error": problem}
    conn.execute(insert(attempts).values(download_id=download_id, bytes_done=done, **row))
    of_download = attempts.c.download_id == download_id
    newest = select(attempts.c.id).where(of_download).order_by(attempts.c.id.desc()).limit(KEPT)
    conn.execute(delete(attempts).where(of_download, attempts.c.id.not_in(newest)))


def of_download(conn: Connection, download_id: int) -> list[Attempt]:
    """The last first."""
    query = (
        select(attempts.c.ended_at, attempts.c.bytes_done, attempts.c.error)
        .where(attempts.c.download_id == download_id)
        .order_by(attempts.c.id.desc())
    )
    return [
        Attempt(row.ended_at, row.bytes_done, msgspec.convert(row.error, Problem))
        for row in conn.execute(query)
    ]


def download(conn: Connection, download_id: int) -> tuple[Download, str | None] | None:
    """With the checksum its hoster promises."""
    this = downloads.c.id == download_id
    row = conn.execute(select(*_SHOWN).where(this)).first()
    promised = conn.execute(select(downloads.c.hash_value).where(this)).scalar_one_or_none()
    return None if row is None else (download_of(row), promised)
