"""Devices, folders, shares, and the revision of them all."""

from alembic import op
from sqlalchemy import CheckConstraint, Column, ForeignKey

from quartet.kernel.db import BigInt, Bytes, Flag, Json, Text

revision = "0002"
down_revision = "0001"


def upgrade() -> None:
    op.create_table(
        "devices",
        Column("id", BigInt, primary_key=True),
        Column("name", Text, nullable=False),
        Column("kind", Text, nullable=False),
        Column("os", Text, nullable=False),
        Column("public_key", Bytes, nullable=False, unique=True),
        Column("syncthing_id", Text, nullable=False, unique=True),
        Column("agent_version", Text, nullable=False),
        Column("syncthing_version", Text, nullable=False),
        Column("approved", Flag, nullable=False),
        Column("created_at", BigInt, nullable=False),
        Column("last_seen", BigInt, nullable=False),
        Column("applied_rev", BigInt, nullable=False),
        sqlite_strict=True,
        sqlite_autoincrement=True,
    )
    op.create_table(
        "folders",
        Column("id", BigInt, primary_key=True),
        Column("label", Text, nullable=False),
        Column("syncthing_folder_id", Text, nullable=False, unique=True),
        Column("ignore_patterns", Json, nullable=False),
        Column("versioning", Json, nullable=False),
        Column("encrypted_on_hub", Flag, nullable=False),
        Column("created_at", BigInt, nullable=False),
        sqlite_strict=True,
        sqlite_autoincrement=True,
    )
    op.create_table(
        "shares",
        Column("folder_id", BigInt, ForeignKey("folders.id", ondelete="CASCADE"), primary_key=True),
        Column(
            "device_id",
            BigInt,
            ForeignKey("devices.id", ondelete="CASCADE"),
            primary_key=True,
            index=True,
        ),
        Column("mode", Text, nullable=False),
        Column("path", Text, nullable=False),
        sqlite_strict=True,
    )
    op.create_table(
        "config_rev",
        Column("id", BigInt, CheckConstraint("id = 1"), primary_key=True, autoincrement=False),
        Column("revision", BigInt, nullable=False),
        Column("server_id", Text, nullable=False),
        sqlite_strict=True,
    )
    op.create_table(
        "revisions",
        Column("revision", BigInt, primary_key=True, autoincrement=False),
        Column("at", BigInt, nullable=False),
        Column("who", Text, nullable=False),
        Column("what", Json, nullable=False),
        Column("snapshot", Bytes, nullable=False),
        sqlite_strict=True,
    )
