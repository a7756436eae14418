"""Keys that all servers on one database share."""

from alembic import op
from sqlalchemy import Column

from quartet.kernel.db import Bytes, Text

revision = "0016"
down_revision = "0015"


def upgrade() -> None:
    op.create_table(
        "keys",
        Column("name", Text, primary_key=True),
        Column("value", Bytes, nullable=False),
        sqlite_strict=True,
    )
