"""Lists of checksums are found at once; what nobody may forget or do twice."""

from alembic import op
from sqlalchemy import CheckConstraint, Column, text

from quartet.kernel.db import BigInt, Json, Text

revision = "0006"
down_revision = "0005"

_LISTS = " OR ".join(f"name LIKE '%.{end}'" for end in ("sfv", "md5", "sha1", "sha256"))


def upgrade() -> None:
    op.create_table(
        "notices",
        Column("id", BigInt, CheckConstraint("id = 1"), primary_key=True, autoincrement=False),
        Column("settings", Json, nullable=False),
        sqlite_strict=True,
    )
    op.create_table(
        "watched_files",
        Column("name", Text, primary_key=True),
        Column("inode", BigInt, nullable=False),
        Column("size", BigInt, nullable=False),
        Column("changed", BigInt, nullable=False),
        sqlite_strict=True,
    )
    op.add_column("downloads", Column("unsynced", Text))
    op.create_index(
        "downloads_unsynced",
        "downloads",
        ["id"],
        sqlite_where=text("unsynced IS NOT NULL"),
        postgresql_where=text("unsynced IS NOT NULL"),
    )
    op.create_index(
        "downloads_lists",
        "downloads",
        ["package_id"],
        sqlite_where=text(_LISTS),
        postgresql_where=text(_LISTS),
    )
