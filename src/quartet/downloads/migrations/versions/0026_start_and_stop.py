"""Downloads that start beyond the slots, and a queue that stops after those that are running."""

from alembic import op
from sqlalchemy import CheckConstraint, Column, false, text

from quartet.kernel.db import BigInt, Flag

revision = "0026"
down_revision = "0025"


def upgrade() -> None:
    for name in ("started_now", "before_stop"):
        op.add_column("downloads", Column(name, Flag, nullable=False, server_default=false()))
    op.create_index(
        "downloads_started_now",
        "downloads",
        ["id"],
        sqlite_where=text("started_now = 1"),
        postgresql_where=text("started_now"),
    )
    op.create_table(
        "queue_stop",
        Column("id", BigInt, CheckConstraint("id = 1"), primary_key=True, autoincrement=False),
        Column("asked_at", BigInt, nullable=False),
        sqlite_strict=True,
    )
