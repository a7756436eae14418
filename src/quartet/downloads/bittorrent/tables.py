from sqlalchemy import Column, ForeignKey, false, text

from quartet.downloads.metadata import metadata
from quartet.kernel.db import BigInt, Bytes, Flag, Json, Text, strict_table

# The packages that are torrents; each file of a torrent is a download.
torrents = strict_table(
    "torrents",
    metadata,
    Column(
        "package_id",
        BigInt,
        ForeignKey("packages.id", ondelete="CASCADE"),
        primary_key=True,
        autoincrement=False,
    ),
    Column("info_hash", Text, nullable=False),
    Column("magnet", Text, nullable=False),
    # The .torrent file; null until a peer has sent the metadata of a magnet link.
    Column("metainfo", Bytes),
    Column("private", Flag, nullable=False),
    Column("sequential", Flag, nullable=False, server_default=false()),
    Column("uploaded", BigInt, nullable=False, server_default=text("0")),
    # Complete, and shared until the limits of the settings are reached.
    Column("seeding", Flag, nullable=False, server_default=false()),
    Column("seeded_seconds", BigInt, nullable=False, server_default=text("0")),
    # Seed until this share of the size is uploaded, or for this time; null means as in the
    # settings, -1 without this limit.
    Column("ratio_limit_percent", BigInt),
    Column("seed_limit_minutes", BigInt),
    # Addresses in the order in which they are asked; null means those that the torrent names.
    Column("trackers", Json),
    # 0 means no separate limit.
    Column("upload_limit_kib", BigInt, nullable=False, server_default=text("0")),
)
