from sqlalchemy import Column, ForeignKey, false

from quartet.kernel.db import BigInt, Flag, Text, strict_table
from quartet.sync.devices.tables import devices
from quartet.sync.folders.tables import folders
from quartet.sync.metadata import metadata

# A missing row means that the folder is off on that device.
shares = strict_table(
    "shares",
    metadata,
    Column("folder_id", BigInt, ForeignKey(folders.c.id, ondelete="CASCADE"), primary_key=True),
    Column(
        "device_id",
        BigInt,
        ForeignKey(devices.c.id, ondelete="CASCADE"),
        primary_key=True,
        index=True,
    ),
    Column("mode", Text, nullable=False),
    Column("path", Text, nullable=False),
    Column("held", Flag, nullable=False, server_default=false()),
    Column("repair", BigInt, nullable=False, server_default="0"),
)
