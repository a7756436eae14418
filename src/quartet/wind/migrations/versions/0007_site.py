"""What admins have set."""

from alembic import op
from sqlalchemy import Column

from quartet.kernel.db import BigInt, Json, Text

revision = "0007"
down_revision = "0006"


def upgrade() -> None:
    op.create_table(
        "site_settings",
        Column("key", Text, primary_key=True),
        Column("value", Json, nullable=False),
        Column("changed_at", BigInt, nullable=False),
        Column("changed_by", BigInt),
        sqlite_strict=True,
    )
