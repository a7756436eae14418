from collections.abc import Sequence
from typing import Any, NamedTuple

from sqlalchemy import Connection, insert, null, select, true, update

from quartet.downloads.bittorrent.tables import torrents as table
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
    # None means as in the settings, -1 unlimited.
    ratio_limit_percent: int | None
    seed_limit_minutes: int | None
    # None means those that the torrent names; only rows of older releases have it.
    trackers: list[str] | None
    upload_limit_kib: int

    @property
    def has_own_limits(self) -> bool:
        return self.ratio_limit_percent is not None or self.seed_limit_minutes is not None


def add(
    conn: Connection,
    package_id: int,
    *,
    info_hash: str,
    magnet: str,
    trackers: Sequence[str],
    metainfo: bytes | None = None,
    private: bool = False,
) -> None:
    values = {"info_hash": info_hash, "magnet": magnet, "metainfo": metainfo, "private": private}
    conn.execute(insert(table).values(package_id=package_id, trackers=trackers, **values))


def change(conn: Connection, package_id: int, **values: Any) -> None:
    conn.execute(update(table).where(table.c.package_id == package_id).values(**values))


def torrent(conn: Connection, package_id: int) -> StoredTorrent | None:
    row = conn.execute(select(table).where(table.c.package_id == package_id)).first()
    return StoredTorrent(*row) if row else None


def seeding(conn: Connection) -> list[int]:
    """Return the packages whose torrents are seeded."""
    return list(conn.execute(select(table.c.package_id).where(table.c.seeding == true())).scalars())


def torrents(conn: Connection) -> dict[int, StoredTorrent]:
    """Return all torrents by package, without their .torrent files."""
    columns = [
        table.c[name] if name != "metainfo" else null().label(name)
        for name in StoredTorrent._fields
    ]
    return {row.package_id: StoredTorrent(*row) for row in conn.execute(select(*columns))}


def info_hashes(conn: Connection, package_ids: Sequence[int]) -> dict[int, tuple[str, bool]]:
    """Return info hash and whether it is seeded for those packages that are torrents."""
    found: dict[int, tuple[str, bool]] = {}
    for some in in_batches(package_ids):
        query = select(table.c.package_id, table.c.info_hash, table.c.seeding)
        rows = conn.execute(query.where(table.c.package_id.in_(some)))
        found |= {row.package_id: (row.info_hash, row.seeding) for row in rows}
    return found
