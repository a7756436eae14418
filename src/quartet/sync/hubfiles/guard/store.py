import msgspec
from sqlalchemy import Connection, delete, insert, select

from quartet.sync.hubfiles.guard.tables import held_changes
from quartet.sync.hubfiles.guard.types import HeldChanges


def put(conn: Connection, folder_id: int, device_id: int, changes: HeldChanges) -> None:
    remove(conn, folder_id, device_id)
    values = {"folder_id": folder_id, "device_id": device_id, "changes": changes}
    conn.execute(insert(held_changes).values(**values))


def find(conn: Connection, folder_id: int, device_id: int) -> HeldChanges | None:
    query = select(held_changes.c.changes).where(
        held_changes.c.folder_id == folder_id, held_changes.c.device_id == device_id
    )
    row = conn.execute(query).scalar()
    return msgspec.convert(row, HeldChanges) if row is not None else None


def remove(conn: Connection, folder_id: int, device_id: int) -> None:
    conn.execute(
        delete(held_changes).where(
            held_changes.c.folder_id == folder_id, held_changes.c.device_id == device_id
        )
    )
