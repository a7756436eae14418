"""What devices wanted to change when their shares were put on hold."""

from alembic import op
from sqlalchemy import Column, ForeignKey

from quartet.kernel.db import BigInt, Json

revision = "0013"
down_revision = "0012"


def upgrade() -> None:
    op.create_table(
        "held_changes",
        Column("folder_id", BigInt, ForeignKey("folders.id", ondelete="CASCADE"), primary_key=True),
        Column("device_id", BigInt, ForeignKey("devices.id", ondelete="CASCADE"), primary_key=True),
        Column("changes", Json, nullable=False),
        sqlite_strict=True,
    )
