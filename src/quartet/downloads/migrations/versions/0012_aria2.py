"""Data of aria2 clients: gids, further addresses and options of downloads."""

from alembic import op
from sqlalchemy import CheckConstraint, Column, ForeignKey, false

from quartet.kernel.db import BigInt, Bytes, Flag, Json, Text

revision = "0012"
down_revision = "0011"


def upgrade() -> None:
    op.add_column("downloads", Column("name_fixed", Flag, nullable=False, server_default=false()))
    op.create_table(
        "aria2_downloads",
        Column(
            "download_id",
            BigInt,
            ForeignKey("downloads.id", ondelete="CASCADE"),
            primary_key=True,
            autoincrement=False,
        ),
        Column("gid", Text, nullable=False, unique=True),
        Column("uris", Json, nullable=False),
        Column("options", Bytes),
        sqlite_strict=True,
    )
    op.create_table(
        "aria2_options",
        Column("id", BigInt, CheckConstraint("id = 1"), primary_key=True, autoincrement=False),
        Column("options", Bytes, nullable=False),
        sqlite_strict=True,
    )
