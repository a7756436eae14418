"""Accounts: people, passkeys, sessions, ceremonies, links in mails and invites."""

from alembic import op
from sqlalchemy import Column, ForeignKey, Index

from quartet.kernel.db import BigInt, Bytes, Flag, Json, Text

revision = "0003"
down_revision = "0002"


def upgrade() -> None:
    op.create_table(
        "users",
        Column("id", BigInt, primary_key=True),
        Column("handle", Bytes, nullable=False, unique=True),
        Column("name", Text, nullable=False),
        Column("email", Text),
        Column("email_key", Text, unique=True),
        Column("email_confirmed", Flag, nullable=False),
        Column("password_hash", Text),
        Column("role", Text, nullable=False),
        Column("disabled", Flag, nullable=False),
        Column("language", Text, nullable=False),
        Column("created_at", BigInt, nullable=False),
        Column("seen_at", BigInt),
        sqlite_strict=True,
        sqlite_autoincrement=True,
    )
    op.create_table(
        "passkeys",
        Column("id", BigInt, primary_key=True),
        Column("user_id", BigInt, ForeignKey("users.id", ondelete="CASCADE"), nullable=False),
        Column("credential_id", Bytes, nullable=False, unique=True),
        Column("public_key", Bytes, nullable=False),
        Column("sign_count", BigInt, nullable=False),
        Column("transports", Json, nullable=False),
        Column("device_type", Text, nullable=False),
        Column("backed_up", Flag, nullable=False),
        Column("name", Text, nullable=False),
        Column("created_at", BigInt, nullable=False),
        Column("last_used_at", BigInt),
        Index("passkeys_of_user", "user_id"),
        sqlite_strict=True,
        sqlite_autoincrement=True,
    )
    op.create_table(
        "sessions",
        Column("token_hash", Text, primary_key=True),
        Column("subject", Text, nullable=False, index=True),
        Column("created_at", BigInt, nullable=False),
        Column("expires_at", BigInt, nullable=False),
        sqlite_strict=True,
    )
    op.create_table(
        "ceremonies",
        Column("token_hash", Text, primary_key=True),
        Column("state", Json, nullable=False),
        Column("expires_at", BigInt, nullable=False),
        sqlite_strict=True,
    )
    _waiting()


def _waiting() -> None:
    """What waits for somebody to come: links in mails, and invites."""
    op.create_table(
        "email_tokens",
        Column("token_hash", Text, primary_key=True),
        Column("purpose", Text, nullable=False),
        Column("user_id", BigInt, ForeignKey("users.id", ondelete="CASCADE")),
        Column("email", Text, nullable=False),
        Column("sign_up", Json),
        Column("created_at", BigInt, nullable=False),
        Column("expires_at", BigInt, nullable=False),
        Index("email_tokens_of_user", "user_id"),
        sqlite_strict=True,
    )
    op.create_table(
        "invites",
        Column("id", BigInt, primary_key=True),
        Column("code_hash", Text, nullable=False, unique=True),
        Column("note", Text, nullable=False),
        Column("role", Text, nullable=False),
        Column("created_by", BigInt, ForeignKey("users.id", ondelete="SET NULL")),
        Column("created_at", BigInt, nullable=False),
        Column("expires_at", BigInt, nullable=False),
        Column("used_by", BigInt, ForeignKey("users.id", ondelete="SET NULL")),
        Column("used_at", BigInt),
        sqlite_strict=True,
        sqlite_autoincrement=True,
    )
