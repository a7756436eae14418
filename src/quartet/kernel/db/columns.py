"""Column types that behave the same on STRICT SQLite tables and on PostgreSQL."""

from typing import Any

import msgspec
from sqlalchemy import (
    REAL,
    BigInteger,
    Boolean,
    Column,
    Connection,
    Constraint,
    Dialect,
    Double,
    Index,
    Integer,
    LargeBinary,
    MetaData,
    Table,
    event,
)
from sqlalchemy import Text as PlainText
from sqlalchemy.schema import SchemaItem
from sqlalchemy.types import TypeDecorator, TypeEngine

Text = PlainText
# SQLite auto-increments only columns of type INTEGER, which holds 64 bits.
BigInt = BigInteger().with_variant(Integer(), "sqlite")
Bytes = LargeBinary
Real: TypeEngine[float] = Double().with_variant(REAL(), "sqlite")


class Flag(TypeDecorator[bool]):
    """A Boolean column; INTEGER on SQLite, because STRICT tables have no BOOLEAN type."""

    impl = Boolean
    cache_ok = True

    def load_dialect_impl(self, dialect: Dialect) -> TypeEngine[Any]:
        return dialect.type_descriptor(Integer() if dialect.name == "sqlite" else Boolean())

    def process_bind_param(self, value: bool | None, dialect: Dialect) -> Any:
        return int(value) if value is not None and dialect.name == "sqlite" else value

    def process_result_value(self, value: Any, dialect: Dialect) -> bool | None:
        return None if value is None else bool(value)


class Json(TypeDecorator[Any]):
    """A JSON column, stored as text so that both databases return the same bytes."""

    impl = PlainText
    cache_ok = True

    def process_bind_param(self, value: Any, dialect: Dialect) -> str | None:
        return None if value is None else msgspec.json.encode(value).decode()

    def process_result_value(self, value: str | None, dialect: Dialect) -> Any:
        return None if value is None else msgspec.json.decode(value)


def postgresql_index(index: Index, **options: Any) -> Index:
    """Set options such as `using` or `where` when the index is created in PostgreSQL.

    As keyword arguments of the index they would import SQLAlchemy's PostgreSQL dialect at every
    start, also with SQLite.
    """

    @event.listens_for(index, "before_create")
    def set_options(target: Index, conn: Connection, **_more: Any) -> None:
        if conn.dialect.name == "postgresql":
            target.dialect_kwargs.update(
                {f"postgresql_{name}": value for name, value in options.items()}
            )

    return index


def strict_table(
    name: str, metadata: MetaData, *items: Column[Any] | Constraint | SchemaItem
) -> Table:
    return Table(name, metadata, *items, sqlite_strict=True)
