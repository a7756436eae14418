"""Archives that are to be unpacked, were unpacked or could not be."""

from alembic import op
from sqlalchemy import Column, ForeignKey

from quartet.kernel.db import BigInt, Json, Text

revision = "0004"
down_revision = "0003"


def upgrade() -> None:
    op.create_table(
        "extractions",
        Column("path", Text, primary_key=True),
        Column("package_id", BigInt, ForeignKey("packages.id", ondelete="CASCADE")),
        Column("state", Text, nullable=False),
        Column("error", Json),
        Column("files", Json, nullable=False),
        Column("asked_at", BigInt, nullable=False),
        sqlite_strict=True,
    )
    op.create_index("extractions_of_package", "extractions", ["package_id"])
