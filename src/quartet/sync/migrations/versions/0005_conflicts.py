"""Conflict copies that were found."""

from alembic import op
from sqlalchemy import Column, ForeignKey

from quartet.kernel.db import BigInt, Text

revision = "0005"
down_revision = "0004"


def upgrade() -> None:
    op.create_table(
        "conflicts",
        Column("folder_id", BigInt, ForeignKey("folders.id", ondelete="CASCADE"), primary_key=True),
        Column("copy_path", Text, primary_key=True),
        Column("made_by", Text, nullable=False),
        sqlite_strict=True,
    )
