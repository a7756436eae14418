"""Which of two sockets of a device is the newer one."""

from alembic import op
from sqlalchemy import Column

from quartet.kernel.db import BigInt

revision = "0008"
down_revision = "0007"


def upgrade() -> None:
    op.add_column("devices", Column("generation", BigInt, nullable=False, server_default="0"))
