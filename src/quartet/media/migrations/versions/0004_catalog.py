"""Options, answers of the catalogs, learned matches, what was read from files."""

from alembic import op
from sqlalchemy import CheckConstraint, Column

from quartet.kernel.db import BigInt, Json, Text

revision = "0004"
down_revision = "0003"


def upgrade() -> None:
    op.create_table(
        "options",
        Column("id", BigInt, CheckConstraint("id = 1"), primary_key=True, autoincrement=False),
        Column("value", Json, nullable=False),
        sqlite_strict=True,
    )
    op.create_table(
        "catalog_answers",
        Column("key", Text, primary_key=True),
        Column("value", Text, nullable=False),
        Column("expires_at", BigInt, nullable=False, index=True),
        sqlite_strict=True,
    )
    op.create_table(
        "overrides",
        Column("kind", Text, primary_key=True),
        Column("title", Text, primary_key=True),
        Column("year", BigInt, primary_key=True, autoincrement=False),
        Column("provider", Text, nullable=False),
        Column("external_id", Text, nullable=False),
        Column("season_offset", BigInt, nullable=False),
        Column("created_at", BigInt, nullable=False),
        sqlite_strict=True,
    )
    op.create_table(
        "probes",
        Column("inode", Text, primary_key=True),
        Column("size", BigInt, primary_key=True, autoincrement=False),
        Column("mtime_ns", BigInt, primary_key=True, autoincrement=False),
        Column("facts", Json),
        Column("probed_at", BigInt, nullable=False, index=True),
        sqlite_strict=True,
    )
