"""Packages store extraction notes, the setting for nested archives and former target folders."""

from alembic import op
from sqlalchemy import Column

from quartet.kernel.db import Flag, Json

revision = "0011"
down_revision = "0010"


def upgrade() -> None:
    op.add_column("packages", Column("extract_notes", Json))
    op.add_column("packages", Column("extract_nested", Flag))
    op.add_column("packages", Column("moved_from", Json))
