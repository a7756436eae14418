"""Torrents: their metadata, and the files of which their downloads consist."""

from alembic import op
from sqlalchemy import Column, ForeignKey, false, text

from quartet.kernel.db import BigInt, Bytes, Flag, Text

revision = "0015"
down_revision = "0014"


def upgrade() -> None:
    op.create_table(
        "torrents",
        Column(
            "package_id",
            BigInt,
            ForeignKey("packages.id", ondelete="CASCADE"),
            primary_key=True,
            autoincrement=False,
        ),
        Column("info_hash", Text, nullable=False),
        Column("magnet", Text, nullable=False),
        Column("metainfo", Bytes),
        Column("private", Flag, nullable=False),
        Column("sequential", Flag, nullable=False, server_default=false()),
        Column("uploaded", BigInt, nullable=False, server_default=text("0")),
        Column("seeding", Flag, nullable=False, server_default=false()),
        Column("seeded_seconds", BigInt, nullable=False, server_default=text("0")),
        sqlite_strict=True,
    )
    op.add_column("downloads", Column("torrent_file", BigInt))
    op.add_column("downloads", Column("torrent_path", Text))
