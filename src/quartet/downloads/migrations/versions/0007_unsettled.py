"""What follows from a finished download is not forgotten; what went wrong is remembered."""

from alembic import op
from sqlalchemy import Column, ForeignKey, false, text

from quartet.kernel.db import BigInt, Flag, Json

revision = "0007"
down_revision = "0006"


def upgrade() -> None:
    op.add_column("downloads", Column("unsettled", Flag, nullable=False, server_default=false()))
    op.create_index(
        "downloads_unsettled",
        "downloads",
        ["id"],
        sqlite_where=text("unsettled = 1"),
        postgresql_where=text("unsettled"),
    )
    op.create_table(
        "attempts",
        Column("id", BigInt, primary_key=True),
        Column(
            "download_id", BigInt, ForeignKey("downloads.id", ondelete="CASCADE"), nullable=False
        ),
        Column("ended_at", BigInt, nullable=False),
        Column("bytes_done", BigInt, nullable=False),
        Column("error", Json, nullable=False),
        sqlite_strict=True,
    )
    op.create_index("attempts_of_download", "attempts", ["download_id", "id"])
