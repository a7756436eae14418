from typing import NamedTuple

import msgspec
from sqlalchemy import ColumnElement, Connection, and_, delete, insert, select

from quartet.media.probe.tables import probes
from quartet.media.probe.types import Probed


class FileKey(NamedTuple):
    inode: str
    size: int
    mtime_ns: int


class CachedProbe(NamedTuple):
    facts: Probed | None


def cached(conn: Connection, key: FileKey) -> CachedProbe | None:
    row = conn.execute(select(probes.c.facts).where(_is(key))).one_or_none()
    return CachedProbe(msgspec.convert(row.facts, Probed | None)) if row else None


def save_probe(conn: Connection, key: FileKey, facts: Probed | None, now: int, oldest: int) -> None:
    conn.execute(delete(probes).where(_is(key) | (probes.c.probed_at < oldest)))
    conn.execute(insert(probes).values(facts=facts, probed_at=now, **key._asdict()))


def _is(key: FileKey) -> ColumnElement[bool]:
    return and_(
        probes.c.inode == key.inode,
        probes.c.size == key.size,
        probes.c.mtime_ns == key.mtime_ns,
    )
