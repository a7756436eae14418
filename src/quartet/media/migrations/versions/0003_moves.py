"""The journal of everything that is done to files."""

from alembic import op
from sqlalchemy import Column

from quartet.kernel.db import BigInt, Flag, Json, Text

revision = "0003"
down_revision = "0002"


def upgrade() -> None:
    op.create_table(
        "operations",
        Column("id", BigInt, primary_key=True),
        Column("run", Text, nullable=False),
        Column("job_id", BigInt),
        Column("item_id", BigInt),
        Column("role", Text, nullable=False),
        Column("action", Text, nullable=False),
        Column("source", Text, nullable=False),
        Column("target", Text, nullable=False),
        Column("is_folder", Flag, nullable=False),
        Column("size", BigInt, nullable=False),
        Column("mtime_ns", BigInt, nullable=False),
        Column("inode", BigInt, nullable=False),
        Column("digest", Text),
        Column("backup", Text),
        Column("parked", Text),
        Column("temporary", Text),
        Column("created_folders", Json),
        Column("state", Text, nullable=False),
        Column("error", Json),
        Column("executed_at", BigInt, nullable=False),
        Column("undone_at", BigInt),
        sqlite_strict=True,
    )
    for name, column in (
        ("operations_job", "job_id"),
        ("operations_item", "item_id"),
        ("operations_run", "run"),
        ("operations_state", "state"),
    ):
        op.create_index(name, "operations", [column])
    # Paths may be longer than an ordinary index of PostgreSQL takes.
    op.create_index("operations_target", "operations", ["target"], postgresql_using="hash")
