"""Conditions of alerts on waves."""

from alembic import op
from sqlalchemy import Column

from quartet.kernel.db import Real

revision = "0018"
down_revision = "0017"


def upgrade() -> None:
    op.add_column("alarms", Column("wave_max", Real))
