"""Conditions of alerts on rain and temperature."""

from alembic import op
from sqlalchemy import Column

from quartet.kernel.db import BigInt, Real

revision = "0016"
down_revision = "0015"


def upgrade() -> None:
    op.add_column("alarms", Column("rain_max", Real))
    op.add_column("alarms", Column("temperature_min", BigInt))
