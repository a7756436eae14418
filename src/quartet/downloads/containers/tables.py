from sqlalchemy import Column

from quartet.downloads.metadata import metadata
from quartet.kernel.db import BigInt, Text, strict_table

# Files of the watch folder whose links were added but which have not been moved away yet.
watched_files = strict_table(
    "watched_files",
    metadata,
    Column("name", Text, primary_key=True),
    Column("inode", BigInt, nullable=False),
    Column("size", BigInt, nullable=False),
    Column("changed", BigInt, nullable=False),
)
