from sqlalchemy import Column, ForeignKey

from quartet.kernel.db import BigInt, Text, strict_table
from quartet.sync.config.tables import folders
from quartet.sync.metadata import metadata

share_links = strict_table(
    "share_links",
    metadata,
    Column("id", BigInt, primary_key=True),
    Column(
        "folder_id",
        BigInt,
        ForeignKey(folders.c.id, ondelete="CASCADE"),
        nullable=False,
        index=True,
    ),
    Column("path", Text, nullable=False),
    Column("user", Text, nullable=False),
    Column("created_at", BigInt, nullable=False),
    Column("expires_at", BigInt, nullable=False),
    # The token itself is known only to those who have the link.
    Column("token_hash", Text, nullable=False, unique=True),
    Column("password_hash", Text),
    Column("downloads", BigInt, nullable=False),
    Column("most_downloads", BigInt),
)
