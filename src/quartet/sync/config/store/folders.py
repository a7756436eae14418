from collections.abc import Mapping
from typing import Any

import msgspec
from sqlalchemy import Connection, Row, delete, func, insert, select, update

from quartet.sync.config.tables import folders
from quartet.sync.config.types.folders import Folder
from quartet.sync.protocol import Versioning

_ALL = select(folders).order_by(folders.c.id)


def load_all(conn: Connection) -> dict[int, Folder]:
    return {row.id: _folder(row) for row in conn.execute(_ALL)}


def _folder(row: Row[Any]) -> Folder:
    return Folder(
        id=row.id,
        label=row.label,
        engine_folder_id=row.syncthing_folder_id,
        ignore_patterns=row.ignore_patterns,
        versioning=msgspec.convert(row.versioning, Versioning),
        encrypted_on_hub=row.encrypted_on_hub,
        created_at=row.created_at,
    )


def count(conn: Connection) -> int:
    return conn.execute(select(func.count()).select_from(folders)).scalar_one()


def add(conn: Connection, values: Mapping[str, Any]) -> int:
    id: int = conn.execute(insert(folders).values(**values).returning(folders.c.id)).scalar_one()
    return id


def put(conn: Connection, folder: Folder) -> None:
    """Insert or update the folder with its id, to restore an earlier revision."""
    values = {
        "label": folder.label,
        "syncthing_folder_id": folder.engine_folder_id,
        "ignore_patterns": folder.ignore_patterns,
        "versioning": folder.versioning,
        "encrypted_on_hub": folder.encrypted_on_hub,
        "created_at": folder.created_at,
    }
    if not change(conn, folder.id, values):
        conn.execute(insert(folders).values(id=folder.id, **values))


def change(conn: Connection, folder_id: int, values: Mapping[str, Any]) -> bool:
    """Return False if the folder does not exist."""
    query = update(folders).where(folders.c.id == folder_id).values(**values)
    return conn.execute(query).rowcount > 0


def remove(conn: Connection, folder_id: int) -> bool:
    return conn.execute(delete(folders).where(folders.c.id == folder_id)).rowcount > 0
