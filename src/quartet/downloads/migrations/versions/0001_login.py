"""Login: the user, sessions and the API token."""

from alembic import op
from sqlalchemy import CheckConstraint, Column

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
    op.create_table(
        "user",
        Column("id", BigInt, CheckConstraint("id = 1"), primary_key=True, autoincrement=False),
        Column("name", Text, nullable=False),
        Column("password_hash", Text, nullable=False),
        sqlite_strict=True,
    )
    op.create_table(
        "api_token",
        Column("id", BigInt, CheckConstraint("id = 1"), primary_key=True, autoincrement=False),
        Column("token_hash", Text, nullable=False),
        Column("created_at", BigInt, nullable=False),
        sqlite_strict=True,
    )
