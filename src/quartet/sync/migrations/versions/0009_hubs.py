"""Further hubs, and which one a device dials."""

from alembic import op
from sqlalchemy import Column

from quartet.kernel.db import Text

revision = "0009"
down_revision = "0008"


def upgrade() -> None:
    op.add_column("devices", Column("hub", Text, nullable=False, server_default=""))
    op.create_table(
        "hubs",
        Column("name", Text, primary_key=True),
        Column("engine_id", Text, nullable=False),
        Column("address", Text, nullable=False),
        sqlite_strict=True,
    )
