"""Conditions of alerts on the probability of their wind."""

from alembic import op
from sqlalchemy import Column

from quartet.kernel.db import BigInt

revision = "0020"
down_revision = "0019"


def upgrade() -> None:
    op.add_column("alarms", Column("chance_min", BigInt))
