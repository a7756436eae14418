"""Web pages that are searched for links."""

from alembic import op
from sqlalchemy import Column

from quartet.kernel.db import BigInt

revision = "0019"
down_revision = "0018"


def upgrade() -> None:
    op.add_column("downloads", Column("crawl_depth", BigInt))
