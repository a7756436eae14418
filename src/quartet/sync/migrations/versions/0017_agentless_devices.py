"""Devices without an agent, and the passwords with which the hub encrypts what it sends them."""

from alembic import op
from sqlalchemy import Column, ForeignKey, false

from quartet.kernel.db import BigInt, Flag, Text

revision = "0017"
down_revision = "0016"


def upgrade() -> None:
    op.add_column("devices", Column("agentless", Flag, nullable=False, server_default=false()))
    op.create_table(
        "encryption_passwords",
        Column("folder_id", BigInt, ForeignKey("folders.id", ondelete="CASCADE"), primary_key=True),
        Column("device_id", BigInt, ForeignKey("devices.id", ondelete="CASCADE"), primary_key=True),
        Column("password", Text, nullable=False),
        sqlite_strict=True,
    )
