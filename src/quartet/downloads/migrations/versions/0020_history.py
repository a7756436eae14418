"""The history of finished downloads, and its sums by day."""

from alembic import op
from sqlalchemy import Column

from quartet.kernel.db import BigInt, Text

revision = "0020"
down_revision = "0019"


def upgrade() -> None:
    op.create_table(
        "history",
        Column("id", BigInt, primary_key=True),
        Column("finished_at", BigInt, nullable=False),
        Column("name", Text, nullable=False),
        Column("host", Text, nullable=False),
        Column("url", Text, nullable=False),
        Column("size", BigInt),
        Column("package_name", Text, nullable=False),
        Column("file", Text),
        sqlite_strict=True,
        sqlite_autoincrement=True,
    )
    op.create_index("history_by_time", "history", ["finished_at"])
    op.create_table(
        "history_days",
        Column("day", BigInt, primary_key=True, autoincrement=False),
        Column("host", Text, primary_key=True),
        Column("files", BigInt, nullable=False),
        Column("bytes", BigInt, nullable=False),
        sqlite_strict=True,
    )
