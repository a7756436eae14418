"""Login: sessions."""

from alembic import op
from sqlalchemy import Column

from quartet.kernel.db import BigInt, Text

revision = "0001"
down_revision = None


def upgrade() -> None:
    op.create_table(
        "sessions",
        Column("token_hash", Text, primary_key=True),
        Column("subject", Text, nullable=False, index=True),
        Column("created_at", BigInt, nullable=False),
        Column("expires_at", BigInt, nullable=False),
        sqlite_strict=True,
    )
