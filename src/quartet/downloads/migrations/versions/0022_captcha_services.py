"""Captcha services of the user."""

from alembic import op
from sqlalchemy import Column, true

from quartet.kernel.db import BigInt, Flag, Json, Secret, Text

revision = "0022"
down_revision = "0021"


def upgrade() -> None:
    op.create_table(
        "captcha_services",
        Column("id", BigInt, primary_key=True),
        Column("name", Text, nullable=False),
        Column("address", Text, nullable=False),
        Column("key", Secret, nullable=False),
        Column("protocol", Text, nullable=False),
        Column("enabled", Flag, nullable=False, server_default=true()),
        Column("balance", BigInt),
        Column("solved", BigInt, nullable=False, server_default="0"),
        Column("spent", BigInt, nullable=False, server_default="0"),
        Column("error", Json),
        sqlite_strict=True,
        sqlite_autoincrement=True,
    )
