"""Shares that a user has paused."""

from alembic import op
from sqlalchemy import Column, false

from quartet.kernel.db import Flag

revision = "0023"
down_revision = "0022"


def upgrade() -> None:
    op.add_column("shares", Column("paused", Flag, nullable=False, server_default=false()))
