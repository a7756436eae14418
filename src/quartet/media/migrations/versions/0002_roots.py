"""The configured folders."""

from alembic import op
from sqlalchemy import CheckConstraint, Column

from quartet.kernel.db import BigInt, Flag, Text

revision = "0002"
down_revision = "0001"


def upgrade() -> None:
    op.create_table(
        "folders",
        Column("id", BigInt, primary_key=True),
        Column("path", Text, nullable=False),
        Column("name", Text, nullable=False),
        Column("kind", Text, nullable=False),
        Column("default", Flag, nullable=False),
        Column("mounted", Flag, nullable=False),
        sqlite_strict=True,
    )
    op.create_table(
        "folders_begun",
        Column("id", BigInt, CheckConstraint("id = 1"), primary_key=True, autoincrement=False),
        sqlite_strict=True,
    )
