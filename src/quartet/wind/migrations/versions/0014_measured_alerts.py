"""Alerts on measured wind."""

from alembic import op
from sqlalchemy import Column, ForeignKey, false

from quartet.kernel.db import BigInt, Flag

revision = "0014"
down_revision = "0013"


def upgrade() -> None:
    op.add_column("alarms", Column("measured", Flag, nullable=False, server_default=false()))
    op.create_table(
        "alarm_measured",
        Column("alarm", BigInt, ForeignKey("alarms.spot", ondelete="CASCADE"), primary_key=True),
        Column("blowing", Flag, nullable=False),
        Column("calm_since", BigInt),
        Column("seen_at", BigInt, nullable=False),
        sqlite_strict=True,
    )
