import msgspec
from sqlalchemy import Connection, select

from quartet.wind.gear.tables import gear
from quartet.wind.gear.types import GearItem
from quartet.wind.store_upsert import put


def of_user(conn: Connection, user: int) -> list[GearItem]:
    items = conn.execute(select(gear.c["items"]).where(gear.c.user_id == user)).scalar()
    return msgspec.convert(items or [], list[GearItem])


def replace(conn: Connection, user: int, items: list[GearItem], now: int) -> None:
    put(conn, gear, [{"user_id": user, "items": msgspec.to_builtins(items), "changed_at": now}])
