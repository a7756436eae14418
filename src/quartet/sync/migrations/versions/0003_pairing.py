"""One-time pairing codes."""

from alembic import op
from sqlalchemy import Column, ForeignKey

from quartet.kernel.db import BigInt, Text

revision = "0003"
down_revision = "0002"


def upgrade() -> None:
    op.create_table(
        "enrollments",
        Column("code_hash", Text, primary_key=True),
        Column("name", Text),
        Column("expires_at", BigInt, nullable=False),
        Column("used_at", BigInt),
        Column("device_id", BigInt, ForeignKey("devices.id", ondelete="SET NULL")),
        sqlite_strict=True,
    )
