from sqlalchemy import Column, ForeignKey

from quartet.kernel.db import BigInt, Text, strict_table
from quartet.sync.config.tables import devices
from quartet.sync.metadata import metadata

enrollments = strict_table(
    "enrollments",
    metadata,
    Column("code_hash", Text, primary_key=True),
    # Replaces the host name as the name of the device.
    Column("name", Text),
    Column("expires_at", BigInt, nullable=False),
    Column("used_at", BigInt),
    Column("device_id", BigInt, ForeignKey(devices.c.id, ondelete="SET NULL")),
)
