"""The server's key, and a salt that begins a new epoch."""

from alembic import op
from sqlalchemy import Column

from quartet.kernel.db import BigInt, Bytes, Text

revision = "0010"
down_revision = "0009"


def upgrade() -> None:
    op.create_table(
        "server_keys",
        Column("number", BigInt, primary_key=True, autoincrement=False),
        Column("private_key", Bytes, nullable=False),
        Column("created_at", BigInt, nullable=False),
        sqlite_strict=True,
    )
    op.add_column("config_rev", Column("epoch_salt", Text, nullable=False, server_default=""))
