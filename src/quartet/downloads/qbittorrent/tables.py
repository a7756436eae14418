from sqlalchemy import Column, ForeignKey

from quartet.downloads.metadata import metadata
from quartet.kernel.db import BigInt, Json, Text, strict_table

# What qBittorrent clients stored for packages; all others have a hash made from their id.
qbittorrent_packages = strict_table(
    "qbittorrent_packages",
    metadata,
    Column(
        "package_id",
        BigInt,
        ForeignKey("packages.id", ondelete="CASCADE"),
        primary_key=True,
        autoincrement=False,
    ),
    Column("hash", Text, nullable=False, unique=True),
    Column("category", Text, nullable=False),
    Column("tags", Json, nullable=False),
)
qbittorrent_categories = strict_table(
    "qbittorrent_categories",
    metadata,
    Column("name", Text, primary_key=True),
    # Relative to the done folder; empty for the done folder itself.
    Column("folder", Text, nullable=False),
)
qbittorrent_tags = strict_table(
    "qbittorrent_tags",
    metadata,
    Column("name", Text, primary_key=True),
)
