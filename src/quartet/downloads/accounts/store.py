from collections.abc import Mapping
from typing import Any

from sqlalchemy import Connection, delete, func, insert, or_, select, true, update

from quartet.downloads.accounts.tables import accounts
from quartet.downloads.accounts.types import Kept
from quartet.downloads.stats.types import PremiumTraffic

_KEPT = [accounts.c[field] for field in Kept.__struct_fields__]


def all_accounts(conn: Connection) -> list[Kept]:
    return [Kept(*row) for row in conn.execute(select(*_KEPT).order_by(accounts.c.id))]


def one(conn: Connection, id: int) -> Kept | None:
    row = conn.execute(select(*_KEPT).where(accounts.c.id == id)).first()
    return Kept(*row) if row else None


def usable(conn: Connection) -> list[Kept]:
    """Most traffic first; who does not say how much comes last."""
    query = (
        select(*_KEPT)
        .where(accounts.c.enabled == true(), accounts.c.status != "invalid")
        .order_by(accounts.c.traffic_left.desc().nulls_last(), accounts.c.id)
    )
    return [Kept(*row) for row in conn.execute(query)]


def to_check(conn: Connection) -> list[Kept]:
    query = select(*_KEPT).where(accounts.c.status == "checking").order_by(accounts.c.id)
    return [Kept(*row) for row in conn.execute(query)]


def add(conn: Connection, values: Mapping[str, Any]) -> int:
    id: int = conn.execute(insert(accounts).values(**values).returning(accounts.c.id)).scalar_one()
    return id


def change(conn: Connection, id: int, values: Mapping[str, Any]) -> None:
    if values:
        conn.execute(update(accounts).where(accounts.c.id == id).values(**values))


def checked(conn: Connection, account: Kept, values: Mapping[str, Any]) -> bool:
    """Not when it has got other credentials, or was deleted, during the check."""
    same = (
        accounts.c.id == account.id,
        accounts.c.user == account.user,
        accounts.c.secret == account.secret,
    )
    return conn.execute(update(accounts).where(*same).values(**values)).rowcount > 0


def remove(conn: Connection, id: int) -> None:
    conn.execute(delete(accounts).where(accounts.c.id == id))


def check_stale(conn: Connection, before: int) -> int:
    """Traffic and time run out by themselves."""
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
