"""Shares that are held or to be repaired; pauses and rate limits of devices."""

from alembic import op
from sqlalchemy import Column, false

from quartet.kernel.db import BigInt, Flag, Json

revision = "0006"
down_revision = "0005"


def upgrade() -> None:
    op.add_column("shares", Column("held", Flag, nullable=False, server_default=false()))
    op.add_column("shares", Column("repair", BigInt, nullable=False, server_default="0"))
    op.add_column("devices", Column("traffic", Json, nullable=False, server_default="{}"))
