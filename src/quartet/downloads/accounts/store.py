from collections.abc import Mapping
from typing import Any

from sqlalchemy import Connection, delete, func, insert, or_, select, true, update

from quartet.downloads.accounts.tables import accounts
from quartet.downloads.accounts.types import StoredAccount
from quartet.downloads.stats.types import PremiumTraffic

_COLUMNS = [accounts.c[field] for field in StoredAccount.__struct_fields__]


def all_accounts(conn: Connection) -> list[StoredAccount]:
    return [StoredAccount(*row) for row in conn.execute(select(*_COLUMNS).order_by(accounts.c.id))]


def one(conn: Connection, id: int) -> StoredAccount | None:
    row = conn.execute(select(*_COLUMNS).where(accounts.c.id == id)).first()
    return StoredAccount(*row) if row else None


def usable(conn: Connection) -> list[StoredAccount]:
    """Return the usable accounts, most traffic first; unknown traffic comes last."""
    query = (
        select(*_COLUMNS)
        .where(accounts.c.enabled == true(), accounts.c.status != "invalid")
        .order_by(accounts.c.traffic_left.desc().nulls_last(), accounts.c.id)
    )
    return [StoredAccount(*row) for row in conn.execute(query)]


def to_check(conn: Connection) -> list[StoredAccount]:
    query = select(*_COLUMNS).where(accounts.c.status == "checking").order_by(accounts.c.id)
    return [StoredAccount(*row) for row in conn.execute(query)]


def add(conn: Connection, values: Mapping[str, Any]) -> int:
    id: int = conn.execute(insert(accounts).values(**values).returning(accounts.c.id)).scalar_one()
    return id


def change(conn: Connection, id: int, values: Mapping[str, Any]) -> None:
    if values:
        conn.execute(update(accounts).where(accounts.c.id == id).values(**values))


def store_check(conn: Connection, account: StoredAccount, values: Mapping[str, Any]) -> bool:
    """Store the result of a check unless the account was changed or deleted during the check."""
    same = (
        accounts.c.id == account.id,
        accounts.c.user == account.user,
        accounts.c.secret == account.secret,
    )
    return conn.execute(update(accounts).where(*same).values(**values)).rowcount > 0


def remove(conn: Connection, id: int) -> None:
    conn.execute(delete(accounts).where(accounts.c.id == id))


def check_stale(conn: Connection, before: int) -> int:
    """Schedule a check of old results, because traffic and premium time run out."""
    stale = or_(accounts.c.checked_at.is_(None), accounts.c.checked_at < before)
    query = update(accounts).where(
        accounts.c.enabled == true(), accounts.c.status.in_(("valid", "error")), stale
    )
    return conn.execute(query.values(status="checking")).rowcount


def premium(conn: Connection) -> list[PremiumTraffic]:
    query = (
        select(
            accounts.c.plugin_id,
            func.sum(accounts.c.traffic_left),
            func.max(accounts.c.valid_until),
        )
        .where(
            accounts.c.enabled == true(),
            accounts.c.status == "valid",
            accounts.c.premium == true(),
        )
        .group_by(accounts.c.plugin_id)
        .order_by(accounts.c.plugin_id)
    )
    return [
        PremiumTraffic(plugin, None if traffic is None else int(traffic), until)
        for plugin, traffic, until in conn.execute(query)
    ]
