"""The device, address and last use of each session."""

from alembic import op
from sqlalchemy import Column

from quartet.kernel.db import BigInt, Text

revision = "0011"
down_revision = "0010"


def upgrade() -> None:
    op.add_column("sessions", Column("seen_at", BigInt))
    op.add_column("sessions", Column("address", Text))
    op.add_column("sessions", Column("device", Text))
