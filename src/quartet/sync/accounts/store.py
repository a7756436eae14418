from collections.abc import Iterable, Mapping
from typing import Any

from sqlalchemy import Connection, delete, insert, select, update

from quartet.sync.accounts.tables import account_devices, accounts
from quartet.sync.accounts.types import Account
from quartet.sync.config.tables import devices


def load_all(conn: Connection) -> dict[str, Account]:
    assigned: dict[str, set[int]] = {}
    for row in conn.execute(select(account_devices)):
        assigned.setdefault(row.account, set()).add(row.device_id)
    return {
        row.name: Account(row.name, row.role, frozenset(assigned.get(row.name, ())), row.created_at)
        for row in conn.execute(select(accounts).order_by(accounts.c.name))
    }


def password_hash(conn: Connection, name: str) -> str | None:
    return conn.execute(select(accounts.c.password_hash).where(accounts.c.name == name)).scalar()


def add(conn: Connection, values: Mapping[str, Any]) -> None:
    conn.execute(insert(accounts).values(**values))


def change(conn: Connection, name: str, values: Mapping[str, Any]) -> None:
    conn.execute(update(accounts).where(accounts.c.name == name).values(**values))


def assign(conn: Connection, name: str, device_ids: Iterable[int]) -> None:
    """Replace the devices of an account; unknown devices are left out."""
    conn.execute(delete(account_devices).where(account_devices.c.account == name))
    known = set(conn.execute(select(devices.c.id).where(devices.c.id.in_(device_ids))).scalars())
    if known:
        rows = [{"account": name, "device_id": id} for id in sorted(known)]
        conn.execute(insert(account_devices), rows)


def remove(conn: Connection, name: str) -> bool:
    return conn.execute(delete(accounts).where(accounts.c.name == name)).rowcount > 0
