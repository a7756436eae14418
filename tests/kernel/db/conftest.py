import secrets
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from sqlalchemy import Column, MetaData, Table

from quartet.kernel.db import BigInt, Database, Flag, Json, Text, open_database, strict_table
from quartet.kernel.events import Event


class Said(Event, frozen=True, tag="said"):
    text: str


@dataclass
class Sample:
    """A database with one table that records published events."""

    db: Database
    notes: Table
    events: list[Event] = field(default_factory=list)


metadata = MetaData()
notes = strict_table(
    "notes",
    metadata,
    Column("id", BigInt, primary_key=True),
    Column("text", Text, nullable=False, unique=True),
    Column("done", Flag, nullable=False, default=False),
    Column("extra", Json),
)


@pytest.fixture(params=["sqlite", "postgresql"])
def url(request: pytest.FixtureRequest) -> str | None:
    """None means SQLite with its file in the data folder."""
    if request.param == "sqlite":
        return None
    address: str = request.getfixturevalue("postgres_url")
    return address


@pytest.fixture
def schema() -> str:
    return f"test_{secrets.token_hex(6)}"


@pytest.fixture
def sample(url: str | None, schema: str, tmp_path: Path) -> Iterator[Sample]:
    events: list[Event] = []
    db = open_database(tmp_path, schema, url, events.append)
    with db.engine.begin() as conn:
        if db.kind == "postgresql":
            conn.exec_driver_sql(f"CREATE SCHEMA {schema}")
        metadata.create_all(conn)
    yield Sample(db, notes, events)
    db.close()
