import msgspec
from sqlalchemy import Connection, delete, insert, select, update

from quartet.sync.hubfiles.restores.tables import restores
from quartet.sync.hubfiles.restores.types import Moment, MomentRestore

# Older restores of a folder are forgotten.
KEPT = 20


def add(
    conn: Connection, folder_id: int, moment: Moment, user: str, started_at: int
) -> MomentRestore | None:
    """Add an operation; return None if one of the folder is running."""
    if any(each.ended_at is None for each in of_folder(conn, folder_id)):
        return None
    query = insert(restores).values(
        folder_id=folder_id,
        before=moment.before,
        below=moment.below,
        user=user,
        started_at=started_at,
        total=0,
        done=0,
        failed=0,
        error="",
    )
    [ident] = conn.execute(query).inserted_primary_key or (0,)
    return MomentRestore(ident, folder_id, moment.before, moment.below, user, started_at)


def of_folder(conn: Connection, folder_id: int) -> list[MomentRestore]:
    """Return the operations of a folder, newest first."""
    query = select(restores).where(restores.c.folder_id == folder_id)
    rows = conn.execute(query.order_by(restores.c.id.desc()))
    return [MomentRestore(*row) for row in rows]


def next_unfinished(conn: Connection) -> MomentRestore | None:
    query = select(restores).where(restores.c.ended_at.is_(None)).order_by(restores.c.id)
    row = conn.execute(query.limit(1)).first()
    return MomentRestore(*row) if row else None


def save(conn: Connection, restore: MomentRestore) -> None:
    """Store the result, and delete the oldest operations of the folder."""
    values = msgspec.structs.asdict(restore)
    conn.execute(update(restores).where(restores.c.id == restore.id).values(**values))
    for old in of_folder(conn, restore.folder_id)[KEPT:]:
        conn.execute(delete(restores).where(restores.c.id == old.id))
