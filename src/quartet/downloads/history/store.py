from collections.abc import Iterable
from typing import Any
from urllib.parse import urlsplit, urlunsplit

from sqlalchemy import Connection, bindparam, delete, func, insert, or_, select, update

from quartet.downloads.bittorrent.magnets import is_torrent_host
from quartet.downloads.history.tables import history, history_days
from quartet.downloads.history.types import HistoryEntry, HistoryFile, HostSum
from quartet.kernel.batches import in_batches

# Built once: a file is small work compared to building a statement.
_ADD = insert(history)
_COUNT = (
    update(history_days)
    .where(history_days.c.day == bindparam("of_day"), history_days.c.host == bindparam("of_host"))
    .values(
        files=history_days.c.files + bindparam("more_files"),
        bytes=history_days.c.bytes + bindparam("more_bytes"),
    )
)
_ENTRY = [history.c[name] for name in HistoryEntry.__struct_fields__]
# How many entries one search reads at most.
MOST_SEARCHED = 20_000
MOST_HOSTS = 100
_ONCE = 5000
TORRENT = "torrent"


def add(conn: Connection, files: Iterable[HistoryFile], now: int, day: int) -> None:
    """Add finished downloads to the history and to the sums of the day."""
    rows = [each._asdict() for each in files]
    for row in rows:
        row["finished_at"] = now
        row["url"] = without_password(row["url"])
        if is_torrent_host(row["host"]):
            row["host"] = TORRENT
    for batch in in_batches(rows):
        conn.execute(_ADD, batch)
    _count(conn, day, rows)


def without_password(url: str) -> str:
    """Remove the password of an address, which must not be kept for years."""
    if "@" not in url:
        return url
    parts = urlsplit(url)
    if parts.password is None:
        return url
    login, _, host = parts.netloc.rpartition("@")
    return urlunsplit(parts._replace(netloc=f"{login.partition(':')[0]}@{host}"))


def _count(conn: Connection, day: int, rows: Iterable[dict[str, Any]]) -> None:
    sums: dict[str, tuple[int, int]] = {}
    for row in rows:
        files, size = sums.get(row["host"], (0, 0))
        sums[row["host"]] = files + 1, size + (row["size"] or 0)
    for host, (files, size) in sums.items():
        more = {"of_day": day, "of_host": host, "more_files": files, "more_bytes": size}
        if conn.execute(_COUNT, more).rowcount == 0:
            new = {"day": day, "host": host, "files": files, "bytes": size}
            conn.execute(insert(history_days).values(**new))


def page(
    conn: Connection, q: str, before: int | None, limit: int
) -> tuple[list[HistoryEntry], int | None]:
    """Return entries and the id at which older ones follow; a search reads a limited number."""
    older = [history.c.id < before] if before is not None else []
    if not q:
        query = select(*_ENTRY).where(*older).order_by(history.c.id.desc()).limit(limit + 1)
        found = [HistoryEntry(*row) for row in conn.execute(query)]
        return found[:limit], found[limit - 1].id if len(found) > limit else None
    some = select(history.c.id).where(*older).order_by(history.c.id.desc())
    last = conn.execute(some.offset(MOST_SEARCHED).limit(1)).scalar_one_or_none()
    window = [*older, *([history.c.id > last] if last is not None else [])]
    texts = (history.c.name, history.c.host, history.c.package_name, history.c.url)
    hit = or_(*(text.icontains(q, autoescape=True) for text in texts))
    query = select(*_ENTRY).where(*window, hit).order_by(history.c.id.desc()).limit(limit + 1)
    found = [HistoryEntry(*row) for row in conn.execute(query)]
    if len(found) > limit:
        return found[:limit], found[limit - 1].id
    return found, None if last is None else last + 1


def days(conn: Connection, first: int) -> list[tuple[int, int, int]]:
    """Return day, files and bytes since a day."""
    columns = (func.sum(history_days.c.files), func.sum(history_days.c.bytes))
    query = select(history_days.c.day, *columns).where(history_days.c.day >= first)
    rows = conn.execute(query.group_by(history_days.c.day).order_by(history_days.c.day))
    # PostgreSQL returns sums of big integers as decimals.
    return [(day, int(files), int(size)) for day, files, size in rows]


def hosts(conn: Connection, first: int) -> list[HostSum]:
    size = func.sum(history_days.c.bytes)
    query = (
        select(history_days.c.host, func.sum(history_days.c.files), size)
        .where(history_days.c.day >= first)
        .group_by(history_days.c.host)
        .order_by(size.desc(), history_days.c.host)
        .limit(MOST_HOSTS)
    )
    return [HostSum(host, int(files), int(total)) for host, files, total in conn.execute(query)]


def delete_before(conn: Connection, time: int, day: int) -> int:
    """Delete some of the oldest entries and the sums of old days; return how many entries."""
    conn.execute(delete(history_days).where(history_days.c.day < day))
    old = select(history.c.id).where(history.c.finished_at < time).limit(_ONCE)
    return conn.execute(delete(history).where(history.c.id.in_(old))).rowcount


def clear(conn: Connection) -> None:
    conn.execute(delete(history))
    conn.execute(delete(history_days))


def remove(conn: Connection, id: int) -> bool:
    """Delete an entry; the sums stay."""
    return conn.execute(delete(history).where(history.c.id == id)).rowcount > 0
