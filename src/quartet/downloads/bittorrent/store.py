from collections.abc import Sequence
from typing import Any, NamedTuple

from sqlalchemy import Connection, insert, select, update

from quartet.downloads.bittorrent.tables import torrents
from quartet.kernel.batches import in_batches


class StoredTorrent(NamedTuple):
    """A torrent as it is stored; `metainfo` is the .torrent file."""

    package_id: int
    info_hash: str
    magnet: str
    metainfo: bytes | None
    private: bool
    sequential: bool
    uploaded: int
    seeding: bool
    seeded_seconds: int


def add(
    conn: Connection,
    package_id: int,
    *,
    info_hash: str,
    magnet: str,
    metainfo: bytes | None = None,
    private: bool = False,
) -> None:
    values = {"info_hash": info_hash, "magnet": magnet, "metainfo": metainfo, "private": private}
    conn.execute(insert(torrents).values(package_id=package_id, **values))


def change(conn: Connection, package_id: int, **values: Any) -> None:
    conn.execute(update(torrents).where(torrents.c.package_id == package_id).values(**values))


def torrent(conn: Connection, package_id: int) -> StoredTorrent | None:
    row = conn.execute(select(torrents).where(torrents.c.package_id == package_id)).first()
    return StoredTorrent(*row) if row else None


def info_hashes(conn: Connection, package_ids: Sequence[int]) -> dict[int, str]:
    """Return the info hashes of those packages that are torrents."""
    found: dict[int, str] = {}
    for some in in_batches(package_ids):
        query = select(torrents.c.package_id, torrents.c.info_hash)
        rows = conn.execute(query.where(torrents.c.package_id.in_(some)))
        found |= {row.package_id: row.info_hash for row in rows}
    return found
