"""Messages that are sent together, withdrawn windows, and the daily digest."""

from alembic import op
from sqlalchemy import Column, ForeignKey

from quartet.kernel.db import BigInt, Text

revision = "0009"
down_revision = "0008"


def upgrade() -> None:
    op.add_column("alarm_messages", Column("kind", Text, nullable=False, server_default="window"))
    op.add_column("alarm_messages", Column("bundle", Text))
    op.create_table(
        "alarm_settings",
        Column("user_id", BigInt, ForeignKey("users.id", ondelete="CASCADE"), primary_key=True),
        Column("digest_hour", BigInt),
        Column("digest_timezone", Text),
        sqlite_strict=True,
    )
