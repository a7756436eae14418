from sqlalchemy import Column

from quartet.kernel.db import BigInt, Json, Text, strict_table
from quartet.media.metadata import metadata

probes = strict_table(
    "probes",
    metadata,
    # Device and inode: they stay when a file is renamed, and with size and time nothing is
    # mistaken for another file.
    Column("inode", Text, primary_key=True),
    Column("size", BigInt, primary_key=True, autoincrement=False),
    Column("mtime_ns", BigInt, primary_key=True, autoincrement=False),
    # Nothing for a file that cannot be read.
    Column("facts", Json),
    Column("probed_at", BigInt, nullable=False, index=True),
)
