from collections.abc import Collection, Mapping
from typing import Any

import msgspec
from sqlalchemy import Column, Connection, bindparam, delete, insert, select, update

from quartet.sync.config.tables import devices
from quartet.sync.config.types.devices import Device, NewDevice, Seen
from quartet.sync.config.types.traffic import Traffic

_CONFIGURED: tuple[Column[Any], ...] = (
    devices.c.id,
    devices.c.name,
    devices.c.kind,
    devices.c.os,
    devices.c.public_key,
    devices.c.syncthing_id,
    devices.c.approved,
    devices.c.created_at,
    devices.c.hub,
    devices.c.traffic,
)
_SEEN = (
    devices.c.agent_version,
    devices.c.syncthing_version,
    devices.c.last_seen,
    devices.c.applied_rev,
)
# Made once: every change reads all, and to make a statement takes as long as to run it.
_EVERY = select(*_CONFIGURED).order_by(devices.c.id)


def every(conn: Connection) -> dict[int, Device]:
    return {row[0]: _device(*row) for row in conn.execute(_EVERY)}


def _device(*row: Any) -> Device:
    configured = [*row[:-1], msgspec.convert(row[-1], Traffic)]
    return Device(*configured)


def every_seen(conn: Connection) -> dict[int, Seen]:
    rows = conn.execute(select(devices.c.id, *_SEEN))
    return {row[0]: Seen(*row[1:]) for row in rows}


def holder_of(conn: Connection, public_key: bytes) -> int | None:
    return conn.execute(select(devices.c.id).where(devices.c.public_key == public_key)).scalar()


def holder_of_engine(conn: Connection, engine_id: str) -> int | None:
    return conn.execute(select(devices.c.id).where(devices.c.syncthing_id == engine_id)).scalar()


def add(conn: Connection, device: NewDevice, now: int) -> int:
    query = insert(devices).values(
        name=device.name,
        kind="other",
        os=device.os,
        public_key=device.public_key,
        syncthing_id=device.engine_id,
        agent_version=device.agent_version,
        syncthing_version=device.engine_version,
        approved=True,
        created_at=now,
        last_seen=now,
        applied_rev=0,
    )
    id: int = conn.execute(query.returning(devices.c.id)).scalar_one()
    return id


def change(conn: Connection, device_id: int, values: Mapping[str, Any]) -> bool:
    """False when there is no such device."""
    query = update(devices).where(devices.c.id == device_id).values(**values)
    return conn.execute(query).rowcount > 0


def remove(conn: Connection, device_id: int) -> bool:
    return conn.execute(delete(devices).where(devices.c.id == device_id)).rowcount > 0


def next_generations(conn: Connection, device_ids: Collection[int]) -> dict[int, int]:
    """Of many devices at once; one that was removed meanwhile has none."""
    query = update(devices).where(devices.c.id.in_(device_ids))
    counted = query.values(generation=devices.c.generation + 1)
    rows = conn.execute(counted.returning(devices.c.id, devices.c.generation))
    return {row.id: row.generation for row in rows}


def put_seen(conn: Connection, seen: Mapping[int, Seen]) -> None:
    """Of many devices at once; one that was removed meanwhile stays removed."""
    if not seen:
        return
    query = (
        update(devices)
        .where(devices.c.id == bindparam("device"))
        .values(
            agent_version=bindparam("agent"),
            syncthing_version=bindparam("engine"),
            last_seen=bindparam("seen"),
            applied_rev=bindparam("applied"),
        )
    )
    rows = [
        {
            "device": id,
            "agent": each.agent_version,
            "engine": each.engine_version,
            "seen": each.last_seen,
            "applied": each.applied_rev,
        }
        # Always in this order, or two servers could wait for each other.
        for id, each in sorted(seen.items())
    ]
    conn.execute(query, rows)
