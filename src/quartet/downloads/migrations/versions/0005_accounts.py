"""Accounts at hosters, cookies of plugins, and which packages nobody has named yet."""

from alembic import op
from sqlalchemy import Column, false

from quartet.kernel.db import BigInt, Bytes, Flag, Json, Text

revision = "0005"
down_revision = "0004"


def upgrade() -> None:
    op.create_table(
        "accounts",
        Column("id", BigInt, primary_key=True),
        Column("plugin_id", Text, nullable=False),
        Column("user", Text, nullable=False),
        Column("secret", Bytes, nullable=False),
        Column("enabled", Flag, nullable=False),
        Column("status", Text, nullable=False),
        Column("premium", Flag),
        Column("traffic_left", BigInt),
        Column("valid_until", BigInt),
        Column("error", Json),
        Column("checked_at", BigInt),
        sqlite_strict=True,
        sqlite_autoincrement=True,
    )
    op.create_table(
        "plugin_cookies",
        Column("plugin_id", Text, primary_key=True),
        Column("account_id", BigInt, primary_key=True, autoincrement=False),
        Column("cookies", Bytes, nullable=False),
        sqlite_strict=True,
    )
    op.add_column("packages", Column("auto_named", Flag, nullable=False, server_default=false()))
