"""RSS and Atom feeds, and the entries that were seen."""

from alembic import op
from sqlalchemy import Column, ForeignKey, true

from quartet.kernel.db import BigInt, Flag, Json, Secret, Text

revision = "0021"
down_revision = "0020"


def upgrade() -> None:
    op.create_table(
        "feeds",
        Column("id", BigInt, primary_key=True),
        Column("url", Secret, nullable=False),
        Column("name", Text, nullable=False),
        Column("interval_minutes", BigInt, nullable=False),
        Column("only_matching", Flag, nullable=False, server_default=true()),
        Column("enabled", Flag, nullable=False, server_default=true()),
        Column("checked_at", BigInt),
        Column("error", Json),
        Column("taken", BigInt, nullable=False, server_default="0"),
        Column("etag", Text),
        Column("modified", Text),
        sqlite_strict=True,
        sqlite_autoincrement=True,
    )
    op.create_table(
        "feed_entries",
        Column("feed_id", BigInt, ForeignKey("feeds.id", ondelete="CASCADE"), primary_key=True),
        Column("key", Text, primary_key=True),
        Column("seen_at", BigInt, nullable=False),
        sqlite_strict=True,
    )
