from sqlalchemy import Column, ForeignKey

from quartet.kernel.db import BigInt, strict_table
from quartet.media.tables import metadata

# The size of each library at the end of each day; days are counted from 1970.
library_sizes = strict_table(
    "library_sizes",
    metadata,
    Column("folder_id", BigInt, ForeignKey("folders.id", ondelete="CASCADE"), primary_key=True),
    Column("day", BigInt, primary_key=True, autoincrement=False),
    Column("files", BigInt, nullable=False),
    Column("bytes", BigInt, nullable=False),
)
