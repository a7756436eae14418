from sqlalchemy import Column, ForeignKey, Index

from quartet.downloads.metadata import metadata
from quartet.kernel.db import BigInt, Json, Text, strict_table

# One row for each archive that the user chose, that is being extracted, or whose package has
# unfinished archives. After a crash it shows which archives need not be extracted again.
extractions = strict_table(
    "extractions",
    metadata,
    # The first volume, relative to the done folder.
    Column("path", Text, primary_key=True),
    Column("package_id", BigInt, ForeignKey("packages.id", ondelete="CASCADE")),
    Column("state", Text, nullable=False),
    Column("error", Json),
    # All volumes; set after the extraction.
    Column("files", Json, nullable=False),
    Column("asked_at", BigInt, nullable=False),
    Index("extractions_of_package", "package_id"),
)
