"""Data of qBittorrent clients: hashes, categories and tags of packages."""

from alembic import op
from sqlalchemy import Column, ForeignKey

from quartet.kernel.db import BigInt, Json, Text

revision = "0014"
down_revision = "0013"


def upgrade() -> None:
    op.create_table(
        "qbittorrent_packages",
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
        sqlite_strict=True,
    )
    op.create_table(
        "qbittorrent_categories",
        Column("name", Text, primary_key=True),
        Column("folder", Text, nullable=False),
        sqlite_strict=True,
    )
    op.create_table(
        "qbittorrent_tags",
        Column("name", Text, primary_key=True),
        sqlite_strict=True,
    )
