"""Packages for which the script of the operator has to be run."""

from alembic import op
from sqlalchemy import Column

from quartet.kernel.db import BigInt, Text

revision = "0025"
down_revision = "0024"


def upgrade() -> None:
    op.create_table(
        "due_scripts",
        Column("id", BigInt, primary_key=True),
        Column("package_id", BigInt, nullable=False, unique=True),
        Column("name", Text, nullable=False),
        Column("target_dir", Text, nullable=False),
        sqlite_strict=True,
        sqlite_autoincrement=True,
    )
