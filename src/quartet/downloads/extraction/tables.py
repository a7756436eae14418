from sqlalchemy import Column, ForeignKey, Index

from quartet.downloads.metadata import metadata
from quartet.kernel.db import BigInt, Json, Text, strict_table

# One row for each archive that somebody picked, that is being unpacked, or that belongs to a
# package whose other archives are not done yet. So a killed process knows what it need not repeat.
extractions = strict_table(
    "extractions",
    metadata,
    # Of its first part, below the done folder.
    Column("path", Text, primary_key=True),
    Column("package_id", BigInt, ForeignKey("packages.id", ondelete="CASCADE")),
    Column("state", Text, nullable=False),
    Column("error", Json),
    # All its parts, known once it is unpacked.
    Column("files", Json, nullable=False),
    Column("asked_at", BigInt, nullable=False),
    Index("extractions_of_package", "package_id"),
)
