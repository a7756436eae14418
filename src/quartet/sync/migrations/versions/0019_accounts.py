"""Several accounts with roles, and the devices assigned to them."""

from alembic import op
from sqlalchemy import Column, ForeignKey

from quartet.kernel.db import BigInt, Text

revision = "0019"
down_revision = "0018"


def upgrade() -> None:
    op.create_table(
        "accounts",
        Column("name", Text, primary_key=True),
        Column("role", Text, nullable=False),
        Column("password_hash", Text, nullable=False),
        Column("created_at", BigInt, nullable=False),
        sqlite_strict=True,
    )
    op.create_table(
        "account_devices",
        Column("account", Text, ForeignKey("accounts.name", ondelete="CASCADE"), primary_key=True),
        Column("device_id", BigInt, ForeignKey("devices.id", ondelete="CASCADE"), primary_key=True),
        sqlite_strict=True,
    )
    op.create_index("ix_account_devices_device_id", "account_devices", ["device_id"])
