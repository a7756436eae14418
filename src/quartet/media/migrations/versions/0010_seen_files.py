"""Files that jobs had which were removed since, and what a download client asked for."""

from alembic import op
from sqlalchemy import Column

from quartet.kernel.db import BigInt, Text

revision = "0010"
down_revision = "0009"


def upgrade() -> None:
    op.add_column("jobs", Column("asked", Text))
    op.create_table(
        "seen_files",
        Column("id", BigInt, primary_key=True),
        Column("source", Text, nullable=False),
        Column("size", BigInt, nullable=False),
        Column("mtime_ns", BigInt, nullable=False),
        sqlite_strict=True,
    )
    # Paths may be longer than an ordinary index of PostgreSQL takes.
    op.create_index("seen_files_source", "seen_files", ["source"], postgresql_using="hash")
