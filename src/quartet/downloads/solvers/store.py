from collections.abc import Mapping
from typing import Any

from sqlalchemy import Connection, delete, func, insert, select, true, update

from quartet.downloads.solvers.tables import captcha_services as table
from quartet.downloads.solvers.types import MICRO, Solver, StoredSolver

_STORED = [table.c[name] for name in StoredSolver._fields]


def all_solvers(conn: Connection) -> list[Solver]:
    columns = [table.c[name] for name in Solver.__struct_fields__]
    rows = conn.execute(select(*columns).order_by(table.c.id)).mappings()
    return [
        Solver(
            **{
                **row,
                "spent": row["spent"] / MICRO,
                "balance": None if row["balance"] is None else row["balance"] / MICRO,
            }
        )
        for row in rows
    ]


def count(conn: Connection) -> int:
    return conn.execute(select(func.count()).select_from(table)).scalar_one()


def usable(conn: Connection) -> list[StoredSolver]:
    """Return the services to ask, in the order in which they were added."""
    query = select(*_STORED).where(table.c.enabled == true()).order_by(table.c.id)
    return [StoredSolver(*row) for row in conn.execute(query)]


def get(conn: Connection, id: int) -> StoredSolver | None:
    row = conn.execute(select(*_STORED).where(table.c.id == id)).first()
    return StoredSolver(*row) if row else None


def add(conn: Connection, values: Mapping[str, Any]) -> int:
    id: int = conn.execute(insert(table).values(**values).returning(table.c.id)).scalar_one()
    return id


def change(conn: Connection, id: int, values: Mapping[str, Any]) -> bool:
    return conn.execute(update(table).where(table.c.id == id).values(**values)).rowcount > 0


def remove(conn: Connection, id: int) -> bool:
    return conn.execute(delete(table).where(table.c.id == id)).rowcount > 0


def add_solved(conn: Connection, id: int, cost: int) -> None:
    values = {
        "solved": table.c.solved + 1,
        "spent": table.c.spent + cost,
        "balance": table.c.balance - cost,
        "error": None,
    }
    conn.execute(update(table).where(table.c.id == id).values(**values))
