"""Packages and their downloads."""

from alembic import op
from sqlalchemy import Column, ForeignKey, text

from quartet.kernel.db import BigInt, Flag, Json, Text

revision = "0002"
down_revision = "0001"


def upgrade() -> None:
    _packages()
    _downloads()
    _indexes()


def _packages() -> None:
    op.create_table(
        "packages",
        Column("id", BigInt, primary_key=True),
        Column("name", Text, nullable=False),
        Column("target_dir", Text, nullable=False),
        Column("source", Text, nullable=False),
        Column("source_page", Text),
        Column("collector", Flag, nullable=False),
        Column("extract", Text),
        Column("extract_error", Json),
        Column("passwords", Json, nullable=False),
        Column("download_password", Text),
        Column("priority", BigInt, nullable=False),
        Column("speed_limit_kib", BigInt, nullable=False),
        Column("position", BigInt, nullable=False),
        Column("created_at", BigInt, nullable=False),
        sqlite_strict=True,
        sqlite_autoincrement=True,
    )


def _downloads() -> None:
    op.create_table(
        "downloads",
        Column("id", BigInt, primary_key=True),
        Column("package_id", BigInt, ForeignKey("packages.id", ondelete="CASCADE"), nullable=False),
        Column("url", Text, nullable=False),
        Column("host", Text, nullable=False),
        Column("plugin_id", Text),
        Column("status", Text, nullable=False),
        Column("online", Text, nullable=False),
        Column("check_wanted", Flag, nullable=False),
        Column("name", Text, nullable=False),
        Column("size", BigInt),
        Column("bytes_done", BigInt, nullable=False),
        Column("error", Json),
        Column("attempts", BigInt, nullable=False),
        Column("retry_at", BigInt),
        Column("created_at", BigInt, nullable=False),
        Column("finished_at", BigInt),
        Column("hash_type", Text),
        Column("hash_value", Text),
        Column("hash_ok", Flag),
        Column("priority", BigInt, nullable=False),
        Column("speed_limit_kib", BigInt, nullable=False),
        Column("position", BigInt, nullable=False),
        Column("file", Text),
        sqlite_strict=True,
        sqlite_autoincrement=True,
    )


def _indexes() -> None:
    op.create_index("packages_in_order", "packages", ["collector", "position"])
    op.create_index("downloads_in_order", "downloads", ["package_id", "position"])
    covering = ["priority", "position", "host", "retry_at", "size", "bytes_done"]
    op.create_index("downloads_of_package", "downloads", ["package_id", "status", *covering])
    op.create_index(
        "downloads_by_status",
        "downloads",
        ["status", "priority", "finished_at", "size", "bytes_done"],
    )
    op.create_index("downloads_by_url", "downloads", ["url"], postgresql_using="hash")
    op.create_index(
        "downloads_to_retry",
        "downloads",
        ["retry_at"],
        sqlite_where=text("retry_at IS NOT NULL"),
        postgresql_where=text("retry_at IS NOT NULL"),
    )
    op.create_index(
        "downloads_to_check",
        "downloads",
        ["id"],
        sqlite_where=text("check_wanted = 1"),
        postgresql_where=text("check_wanted"),
    )
