from collections.abc import Iterable, Mapping

import msgspec
from sqlalchemy import Connection, delete, insert, select, update

from quartet.sync.config.tables import encryption_passwords, shares
from quartet.sync.config.types.shares import Share

_ALL = select(*(shares.c[name] for name in Share.__struct_fields__)).order_by(
    shares.c.device_id, shares.c.folder_id
)


def load_all(conn: Connection) -> tuple[Share, ...]:
    return tuple(Share(*row) for row in conn.execute(_ALL))


def remove(conn: Connection, pairs: Iterable[tuple[int, int]]) -> None:
    for folder_id, device_id in pairs:
        conn.execute(
            delete(shares).where(shares.c.folder_id == folder_id, shares.c.device_id == device_id)
        )


def hold(conn: Connection, folder_id: int, device_id: int, held: bool) -> bool:
    """Return False if nothing changed or the share does not exist."""
    query = update(shares).where(shares.c.folder_id == folder_id, shares.c.device_id == device_id)
    return conn.execute(query.where(shares.c.held != held).values(held=held)).rowcount > 0


def pause(conn: Connection, rows: Iterable[Share], paused: bool) -> None:
    for row in rows:
        query = update(shares).where(
            shares.c.folder_id == row.folder_id, shares.c.device_id == row.device_id
        )
        conn.execute(query.values(paused=paused))


def set_repair(conn: Connection, folder_id: int, device_id: int, request_id: int) -> None:
    query = update(shares).where(shares.c.folder_id == folder_id, shares.c.device_id == device_id)
    conn.execute(query.values(repair=request_id))


def remove_all(conn: Connection) -> None:
    conn.execute(delete(shares))


def add(conn: Connection, rows: Iterable[Share]) -> None:
    values = [msgspec.structs.asdict(row) for row in rows]
    if values:
        conn.execute(insert(shares), values)


def load_passwords(conn: Connection) -> dict[tuple[int, int], str]:
    """Return the encryption passwords by folder and device."""
    rows = conn.execute(select(encryption_passwords))
    return {(row.folder_id, row.device_id): row.password for row in rows}


def set_passwords(conn: Connection, passwords: Mapping[tuple[int, int], str]) -> None:
    table = encryption_passwords
    for (folder_id, device_id), password in passwords.items():
        conn.execute(
            delete(table).where(table.c.folder_id == folder_id, table.c.device_id == device_id)
        )
        conn.execute(
            insert(table).values(folder_id=folder_id, device_id=device_id, password=password)
        )
