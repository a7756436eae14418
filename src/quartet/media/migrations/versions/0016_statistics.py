"""The sizes of the libraries by day, and an index for the files moved per week."""

from alembic import op
from sqlalchemy import Column, ForeignKey

from quartet.kernel.db import BigInt

revision = "0016"
down_revision = "0015"


def upgrade() -> None:
    op.create_table(
        "library_sizes",
        Column("folder_id", BigInt, ForeignKey("folders.id", ondelete="CASCADE"), primary_key=True),
        Column("day", BigInt, primary_key=True, autoincrement=False),
        Column("files", BigInt, nullable=False),
        Column("bytes", BigInt, nullable=False),
        sqlite_strict=True,
    )
    op.create_index("operations_executed_at", "operations", ["executed_at"])
