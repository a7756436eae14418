"""The trackers and the upload limit of single torrents."""

from alembic import op
from sqlalchemy import Column

from quartet.kernel.db import BigInt, Json

revision = "0023"
down_revision = "0022"


def upgrade() -> None:
    op.add_column("torrents", Column("trackers", Json))
    limit = Column("upload_limit_kib", BigInt, nullable=False, server_default="0")
    op.add_column("torrents", limit)
