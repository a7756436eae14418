from sqlalchemy import Column, ForeignKey

from quartet.kernel.db import BigInt, Json, strict_table
from quartet.sync.config.tables import devices, folders
from quartet.sync.metadata import metadata

# What a device wanted to change when its share was put on hold.
held_changes = strict_table(
    "held_changes",
    metadata,
    Column("folder_id", BigInt, ForeignKey(folders.c.id, ondelete="CASCADE"), primary_key=True),
    Column("device_id", BigInt, ForeignKey(devices.c.id, ondelete="CASCADE"), primary_key=True),
    Column("changes", Json, nullable=False),
)
