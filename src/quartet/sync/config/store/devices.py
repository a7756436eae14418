from collections.abc import Collection, Mapping
from typing import Any

import msgspec
from sqlalchemy import Column, Connection, bindparam, delete, insert, select, update

from quartet.sync.config.tables import devices
from quartet.sync.config.types.devices import Device, NewDevice, StoredReport
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
    devices.c.agentless,
    devices.c.path_template,
)
_SEEN = (
    devices.c.agent_version,
    devices.c.syncthing_version,
    devices.c.last_seen,
    devices.c.applied_rev,
)
# Built once: every change reads all rows, and building a statement costs as much as running it.
_ALL = select(*_CONFIGURED).order_by(devices.c.id)


def load_all(conn: Connection) -> dict[int, Device]:
    return {row[0]: _device(*row) for row in conn.execute(_ALL)}


def _device(*row: Any) -> Device:
    configured = [*row[:-3], msgspec.convert(row[-3], Traffic), *row[-2:]]
    return Device(*configured)


def load_reports(conn: Connection) -> dict[int, StoredReport]:
    rows = conn.execute(select(devices.c.id, *_SEEN))
    return {row[0]: StoredReport(*row[1:]) for row in rows}


def id_by_public_key(conn: Connection, public_key: bytes) -> int | None:
    return conn.execute(select(devices.c.id).where(devices.c.public_key == public_key)).scalar()


def id_by_engine_id(conn: Connection, engine_id: str) -> int | None:
    return conn.execute(select(devices.c.id).where(devices.c.syncthing_id == engine_id)).scalar()


def add(conn: Connection, device: NewDevice, now: int) -> int:
    query = insert(devices).values(
        name=device.name,
        kind=device.kind,
        os=device.os,
        public_key=device.public_key,
        syncthing_id=device.engine_id,
        agent_version=device.agent_version,
        syncthing_version=device.engine_version,
        approved=True,
        created_at=now,
        last_seen=now,
        applied_rev=0,
        agentless=device.agentless,
    )
    id: int = conn.execute(query.returning(devices.c.id)).scalar_one()
    return id


def change(conn: Connection, device_id: int, values: Mapping[str, Any]) -> bool:
    """Return False if the device does not exist."""
    query = update(devices).where(devices.c.id == device_id).values(**values)
    return conn.execute(query).rowcount > 0


def remove(conn: Connection, device_id: int) -> bool:
    return conn.execute(delete(devices).where(devices.c.id == device_id)).rowcount > 0


def next_generations(conn: Connection, device_ids: Collection[int]) -> dict[int, int]:
    """Increment and return the generations of many devices; removed ones are left out."""
    query = update(devices).where(devices.c.id.in_(device_ids))
    counted = query.values(generation=devices.c.generation + 1)
    rows = conn.execute(counted.returning(devices.c.id, devices.c.generation))
    return {row.id: row.generation for row in rows}


def save_reports(conn: Connection, seen: Mapping[int, StoredReport]) -> None:
    """Update many devices at once; removed ones are skipped."""
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
        # A fixed order prevents deadlocks between servers.
        for id, each in sorted(seen.items())
    ]
    conn.execute(query, rows)
