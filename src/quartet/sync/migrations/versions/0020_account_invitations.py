"""Invitation links, with which people set the password of their account."""

from alembic import op
from sqlalchemy import Column, ForeignKey

from quartet.kernel.db import BigInt, Text

revision = "0020"
down_revision = "0019"


def upgrade() -> None:
    op.create_table(
        "account_invitations",
        Column("account", Text, ForeignKey("accounts.name", ondelete="CASCADE"), primary_key=True),
        Column("token_hash", Text, nullable=False, unique=True),
        Column("expires_at", BigInt, nullable=False),
        sqlite_strict=True,
    )
