"""When a job asks a catalog again that did not answer."""

from alembic import op
from sqlalchemy import Column

from quartet.kernel.db import BigInt

revision = "0013"
down_revision = "0012"


def upgrade() -> None:
    op.add_column("jobs", Column("retries", BigInt, nullable=False, server_default="0"))
    op.add_column("jobs", Column("retry_at", BigInt))
