"""What the blend of models has learnt about each station."""

from alembic import op
from sqlalchemy import Column

from quartet.kernel.db import BigInt, Bytes, Text

revision = "0019"
down_revision = "0018"


def upgrade() -> None:
    op.create_table(
        "blend_states",
        Column("station", BigInt, primary_key=True),
        Column("version", BigInt, nullable=False),
        Column("learned", BigInt, nullable=False),
        Column("models", Text, nullable=False),
        Column("numbers", Bytes, nullable=False),
        sqlite_strict=True,
    )
