from collections.abc import Collection, Mapping, Sequence
from typing import Any

from sqlalchemy import Connection, delete, func, insert, select, true, update

from quartet.downloads.feeds.tables import feed_entries, feeds
from quartet.downloads.feeds.types import Feed, StoredFeed
from quartet.kernel.batches import in_batches

_MINUTE = 60_000


def all_feeds(conn: Connection) -> list[Feed]:
    columns = [feeds.c[name] for name in Feed.__struct_fields__]
    rows = conn.execute(select(*columns).order_by(feeds.c.id)).mappings()
    return [Feed(**row) for row in rows]


def count(conn: Connection) -> int:
    return conn.execute(select(func.count()).select_from(feeds)).scalar_one()


def add(conn: Connection, values: Mapping[str, Any]) -> int:
    id: int = conn.execute(insert(feeds).values(**values).returning(feeds.c.id)).scalar_one()
    return id


def change(conn: Connection, id: int, values: Mapping[str, Any]) -> bool:
    query = update(feeds).where(feeds.c.id == id)
    return conn.execute(query.values(**values)).rowcount > 0


def read_again(conn: Connection) -> bool:
    """Make the feeds due whose entries the rules choose; return whether there are any."""
    chosen = feeds.c.only_matching == true(), feeds.c.enabled == true()
    query = update(feeds).where(*chosen)
    return conn.execute(query.values(checked_at=None, etag=None, modified=None)).rowcount > 0


def remove(conn: Connection, id: int) -> bool:
    return conn.execute(delete(feeds).where(feeds.c.id == id)).rowcount > 0


def due(conn: Connection, now: int) -> list[StoredFeed]:
    columns = [feeds.c[name] for name in StoredFeed._fields]
    next_at = func.coalesce(feeds.c.checked_at + feeds.c.interval_minutes * _MINUTE, 0)
    query = select(*columns).where(feeds.c.enabled == true(), next_at <= now)
    return [StoredFeed(*row) for row in conn.execute(query.order_by(feeds.c.id))]


def next_due(conn: Connection) -> int | None:
    next_at = func.coalesce(feeds.c.checked_at + feeds.c.interval_minutes * _MINUTE, 0)
    query = select(func.min(next_at)).where(feeds.c.enabled == true())
    return conn.execute(query).scalar_one_or_none()


def seen(conn: Connection, feed_id: int, keys: Sequence[str]) -> set[str]:
    found: set[str] = set()
    for some in in_batches(keys):
        query = select(feed_entries.c.key).where(
            feed_entries.c.feed_id == feed_id, feed_entries.c.key.in_(some)
        )
        found |= set(conn.execute(query).scalars())
    return found


def mark_seen(conn: Connection, feed_id: int, keys: Collection[str], now: int) -> None:
    """Remember entries of the feed; the time says when they were in it last."""
    of_feed = feed_entries.c.feed_id == feed_id
    for some in in_batches(list(keys)):
        conn.execute(delete(feed_entries).where(of_feed, feed_entries.c.key.in_(some)))
        rows = [{"feed_id": feed_id, "key": key, "seen_at": now} for key in some]
        conn.execute(insert(feed_entries), rows)


def forget(conn: Connection, feed_id: int, before: int) -> None:
    """Forget entries that left the feed long ago."""
    of_feed = feed_entries.c.feed_id == feed_id
    conn.execute(delete(feed_entries).where(of_feed, feed_entries.c.seen_at < before))


def count_taken(conn: Connection, id: int) -> None:
    conn.execute(update(feeds).where(feeds.c.id == id).values(taken=feeds.c.taken + 1))
