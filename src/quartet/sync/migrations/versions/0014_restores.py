"""Operations that roll a folder back to an earlier time."""

from alembic import op
from sqlalchemy import Column, ForeignKey

from quartet.kernel.db import BigInt, Text

revision = "0014"
down_revision = "0013"


def upgrade() -> None:
    op.create_table(
        "restores",
        Column("id", BigInt, primary_key=True),
        Column(
            "folder_id",
            BigInt,
            ForeignKey("folders.id", ondelete="CASCADE"),
            nullable=False,
            index=True,
        ),
        Column("before", BigInt, nullable=False),
        Column("below", Text, nullable=False),
        Column("user", Text, nullable=False),
        Column("started_at", BigInt, nullable=False),
        Column("ended_at", BigInt),
        Column("total", BigInt, nullable=False),
        Column("done", BigInt, nullable=False),
        Column("failed", BigInt, nullable=False),
        Column("error", Text, nullable=False),
        sqlite_strict=True,
    )
