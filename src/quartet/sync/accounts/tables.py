from sqlalchemy import Column, ForeignKey

from quartet.kernel.db import BigInt, Text, strict_table
from quartet.sync.config.tables import devices
from quartet.sync.metadata import metadata

# Further accounts; the first admin has a table of its own.
accounts = strict_table(
    "accounts",
    metadata,
    Column("name", Text, primary_key=True),
    Column("role", Text, nullable=False),
    Column("password_hash", Text, nullable=False),
    Column("created_at", BigInt, nullable=False),
)

account_devices = strict_table(
    "account_devices",
    metadata,
    Column("account", Text, ForeignKey(accounts.c.name, ondelete="CASCADE"), primary_key=True),
    Column(
        "device_id",
        BigInt,
        ForeignKey(devices.c.id, ondelete="CASCADE"),
        primary_key=True,
        index=True,
    ),
)
