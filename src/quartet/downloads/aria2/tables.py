from sqlalchemy import CheckConstraint, Column, ForeignKey

from quartet.downloads.metadata import metadata
from quartet.kernel.db import BigInt, Bytes, Json, Text, strict_table

# What aria2 clients stored for downloads they added; all others have a gid made from their id.
aria2_downloads = strict_table(
    "aria2_downloads",
    metadata,
    Column(
        "download_id",
        BigInt,
        ForeignKey("downloads.id", ondelete="CASCADE"),
        primary_key=True,
        autoincrement=False,
    ),
    Column("gid", Text, nullable=False, unique=True),
    # Unused; the other addresses of a file are the mirrors of its download.
    Column("uris", Json, nullable=False),
    # Encrypted JSON, because headers and cookies are secret.
    Column("options", Bytes),
)
# Global options that have no counterpart in the settings.
aria2_options = strict_table(
    "aria2_options",
    metadata,
    Column("id", BigInt, CheckConstraint("id = 1"), primary_key=True, autoincrement=False),
    Column("options", Bytes, nullable=False),
)
