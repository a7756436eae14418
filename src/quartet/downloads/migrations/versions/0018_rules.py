"""Rules for new links, and the settings of a package that they change."""

from alembic import op
from sqlalchemy import Column, false

from quartet.kernel.db import BigInt, Flag, SecretJson

revision = "0018"
down_revision = "0017"


def upgrade() -> None:
    op.create_table(
        "rules",
        Column("position", BigInt, primary_key=True, autoincrement=False),
        Column("value", SecretJson, nullable=False),
        sqlite_strict=True,
    )
    op.add_column("packages", Column("auto_extract", Flag))
    op.add_column("packages", Column("ruled", Flag, nullable=False, server_default=false()))
