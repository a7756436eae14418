from sqlalchemy import Column, ForeignKey

from quartet.kernel.db import BigInt, Text, strict_table
from quartet.sync.config.tables import folders
from quartet.sync.metadata import metadata

# Conflicts that were already reported, so that a restart does not report them again.
conflicts = strict_table(
    "conflicts",
    metadata,
    Column("folder_id", BigInt, ForeignKey(folders.c.id, ondelete="CASCADE"), primary_key=True),
    Column("copy_path", Text, primary_key=True),
    # The device's engine id; empty if unknown.
    Column("made_by", Text, nullable=False),
)
