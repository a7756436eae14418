from sqlalchemy import Column

from quartet.kernel.db import BigInt, Json, Text, strict_table
from quartet.media.tables import metadata

probes = strict_table(
    "probes",
    metadata,
    # Device and inode, which survive a rename. Together with size and time they identify a file.
    Column("inode", Text, primary_key=True),
    Column("size", BigInt, primary_key=True, autoincrement=False),
    Column("mtime_ns", BigInt, primary_key=True, autoincrement=False),
    # Null if the file cannot be read.
    Column("facts", Json),
    Column("probed_at", BigInt, nullable=False, index=True),
)
