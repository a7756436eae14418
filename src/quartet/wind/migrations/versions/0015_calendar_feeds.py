"""Private calendar addresses."""

from alembic import op
from sqlalchemy import Column, ForeignKey

from quartet.kernel.db import BigInt, Text

revision = "0015"
down_revision = "0014"


def upgrade() -> None:
    op.create_table(
        "calendar_feeds",
        Column("user_id", BigInt, ForeignKey("users.id", ondelete="CASCADE"), primary_key=True),
        Column("token_hash", Text, nullable=False, unique=True),
        Column("created_at", BigInt, nullable=False),
        sqlite_strict=True,
    )
