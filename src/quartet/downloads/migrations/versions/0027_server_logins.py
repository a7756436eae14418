"""Users and passwords for servers."""

from alembic import op
from sqlalchemy import Column

from quartet.kernel.db import BigInt, Secret, Text

revision = "0027"
down_revision = "0026"


def upgrade() -> None:
    op.create_table(
        "server_logins",
        Column("id", BigInt, primary_key=True),
        Column("address", Text, nullable=False, unique=True),
        Column("user", Text, nullable=False),
        Column("password", Secret, nullable=False),
        sqlite_strict=True,
        sqlite_autoincrement=True,
    )
