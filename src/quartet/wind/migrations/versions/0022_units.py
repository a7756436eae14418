"""Units of an account, and the wind of messages in tenths of a knot."""

from alembic import op
from sqlalchemy import Column

from quartet.kernel.db import Json, Real

revision = "0022"
down_revision = "0021"


def upgrade() -> None:
    op.add_column("users", Column("units", Json))
    for name in ("exact_low", "exact_high", "exact_gust"):
        op.add_column("alarm_messages", Column(name, Real))
