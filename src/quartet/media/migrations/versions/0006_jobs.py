"""Jobs and their items."""

from alembic import op
from sqlalchemy import Column, ForeignKey

from quartet.kernel.db import BigInt, Flag, Json, Real, Text

revision = "0006"
down_revision = "0005"


def upgrade() -> None:
    op.create_table(
        "jobs",
        Column("id", BigInt, primary_key=True),
        Column("kind", Text, nullable=False),
        Column("status", Text, nullable=False),
        Column("watch_folder_id", BigInt),
        Column("paths", Text, nullable=False),
        Column("config", Text, nullable=False),
        Column("begin", Text, nullable=False),
        Column("done", BigInt, nullable=False),
        Column("total", BigInt, nullable=False),
        Column("error", Json),
        Column("created_at", BigInt, nullable=False),
        Column("finished_at", BigInt),
        sqlite_strict=True,
        # Ids are never given twice: the history names jobs that are long gone.
        sqlite_autoincrement=True,
    )
    op.create_index("jobs_status", "jobs", ["status"])
    op.create_table(
        "items",
        Column("id", BigInt, primary_key=True),
        Column("job_id", BigInt, ForeignKey("jobs.id", ondelete="CASCADE"), nullable=False),
        Column("source", Text, nullable=False),
        Column("is_folder", Flag, nullable=False),
        Column("size", BigInt, nullable=False),
        Column("mtime_ns", BigInt, nullable=False),
        Column("companions", Text, nullable=False),
        Column("parsed", Text),
        Column("match", Text),
        Column("confidence", Real, nullable=False),
        Column("target", Text),
        Column("target_key", Text),
        Column("override_target", Text),
        Column("excluded", Flag, nullable=False),
        Column("approved", Flag, nullable=False),
        Column("chosen", Flag, nullable=False),
        Column("state", Text, nullable=False),
        Column("reasons", Json, nullable=False),
        Column("conflict", Text),
        Column("error", Json),
        sqlite_strict=True,
        sqlite_autoincrement=True,
    )
    op.create_index("items_job", "items", ["job_id"])
    op.create_index("items_target", "items", ["job_id", "target_key"])
    op.create_index("items_state", "items", ["state"])
    # Paths may be longer than an ordinary index of PostgreSQL takes.
    op.create_index("items_source", "items", ["source"], postgresql_using="hash")
