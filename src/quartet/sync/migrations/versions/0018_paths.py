"""Path templates, and ignore patterns of one share."""

from alembic import op
from sqlalchemy import Column

from quartet.kernel.db import Json, Text

revision = "0018"
down_revision = "0017"


def upgrade() -> None:
    op.add_column("shares", Column("ignore_patterns", Json, nullable=False, server_default="[]"))
    op.add_column("devices", Column("path_template", Text, nullable=False, server_default=""))
    op.add_column("config_rev", Column("path_template", Text, nullable=False, server_default=""))
