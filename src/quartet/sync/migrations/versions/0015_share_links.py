"""Links by which people without an account download files of the hub."""

from alembic import op
from sqlalchemy import Column, ForeignKey

from quartet.kernel.db import BigInt, Text

revision = "0015"
down_revision = "0014"


def upgrade() -> None:
    op.create_table(
        "share_links",
        Column("id", BigInt, primary_key=True),
        Column(
            "folder_id",
            BigInt,
            ForeignKey("folders.id", ondelete="CASCADE"),
            nullable=False,
            index=True,
        ),
        Column("path", Text, nullable=False),
        Column("user", Text, nullable=False),
        Column("created_at", BigInt, nullable=False),
        Column("expires_at", BigInt, nullable=False),
        Column("token_hash", Text, nullable=False, unique=True),
        Column("password_hash", Text),
        Column("downloads", BigInt, nullable=False),
        Column("most_downloads", BigInt),
        sqlite_strict=True,
    )
