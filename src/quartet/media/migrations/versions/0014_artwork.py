"""Libraries that get NFO files and pictures."""

from alembic import op
from sqlalchemy import Column, false

from quartet.kernel.db import Flag

revision = "0014"
down_revision = "0013"


def upgrade() -> None:
    op.add_column("folders", Column("nfo", Flag, nullable=False, server_default=false()))
