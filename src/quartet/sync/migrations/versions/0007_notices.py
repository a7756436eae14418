"""Who is told when something is wrong."""

from alembic import op
from sqlalchemy import CheckConstraint, Column

from quartet.kernel.db import BigInt, Json

revision = "0007"
down_revision = "0006"


def upgrade() -> None:
    op.create_table(
        "notices",
        Column("id", BigInt, CheckConstraint("id = 1"), primary_key=True, autoincrement=False),
        Column("settings", Json, nullable=False),
        sqlite_strict=True,
    )
