"""The largest widths of the pictures of a library."""

from alembic import op
from sqlalchemy import Column, text

from quartet.kernel.db import BigInt

revision = "0018"
down_revision = "0017"


def upgrade() -> None:
    for name, width in (("poster_width", "780"), ("fanart_width", "1280")):
        column = Column(name, BigInt, nullable=False, server_default=text(width))
        op.add_column("folders", column)
