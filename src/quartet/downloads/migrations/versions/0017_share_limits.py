"""Limits of their own for seeding a torrent."""

from alembic import op
from sqlalchemy import Column

from quartet.kernel.db import BigInt

revision = "0017"
down_revision = "0016"


def upgrade() -> None:
    op.add_column("torrents", Column("ratio_limit_percent", BigInt))
    op.add_column("torrents", Column("seed_limit_minutes", BigInt))
