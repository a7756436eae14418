from sqlalchemy import Column, ForeignKey, Index

from quartet.kernel.audit import audit_table
from quartet.kernel.auth import sessions_table
from quartet.kernel.db import BigInt, Bytes, Flag, Json, Text, strict_table
from quartet.wind.metadata import metadata

users = strict_table(
    "users",
    metadata,
    # Never reused: sessions refer to users by this id.
    Column("id", BigInt, primary_key=True),
    # The random user handle of WebAuthn; it contains no personal data.
    Column("handle", Bytes, nullable=False, unique=True),
    Column("name", Text, nullable=False),
    Column("email", Text),
    # The normalised address, the same for every spelling of one mailbox.
    Column("email_key", Text, unique=True),
    Column("email_confirmed", Flag, nullable=False),
    Column("password_hash", Text),
    Column("role", Text, nullable=False),
    Column("disabled", Flag, nullable=False),
    Column("language", Text, nullable=False),
    Column("created_at", BigInt, nullable=False),
    Column("seen_at", BigInt),
    # Null until the user chooses other units than the usual ones.
    Column("units", Json),
)

passkeys = strict_table(
    "passkeys",
    metadata,
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
)

sessions = sessions_table(metadata)
audit_log = audit_table(metadata)

# Passkey ceremonies that were begun; the browser holds the token in a cookie.
ceremonies = strict_table(
    "ceremonies",
    metadata,
    Column("token_hash", Text, primary_key=True),
    Column("state", Json, nullable=False),
    Column("expires_at", BigInt, nullable=False),
)

# Links in mails. A sign-up is stored here until its address is confirmed.
email_tokens = strict_table(
    "email_tokens",
    metadata,
    Column("token_hash", Text, primary_key=True),
    Column("purpose", Text, nullable=False),
    Column("user_id", BigInt, ForeignKey("users.id", ondelete="CASCADE")),
    Column("email", Text, nullable=False),
    Column("sign_up", Json),
    Column("created_at", BigInt, nullable=False),
    Column("expires_at", BigInt, nullable=False),
    Index("email_tokens_of_user", "user_id"),
)

invites = strict_table(
    "invites",
    metadata,
    Column("id", BigInt, primary_key=True),
    Column("code_hash", Text, nullable=False, unique=True),
    Column("note", Text, nullable=False),
    Column("role", Text, nullable=False),
    # Null for the first admin's invite, which is created at startup.
    Column("created_by", BigInt, ForeignKey("users.id", ondelete="SET NULL")),
    Column("created_at", BigInt, nullable=False),
    Column("expires_at", BigInt, nullable=False),
    Column("used_by", BigInt, ForeignKey("users.id", ondelete="SET NULL")),
    Column("used_at", BigInt),
)

# When the user of a session last entered the password or used a passkey, apart from signing in.
session_checks = strict_table(
    "session_checks",
    metadata,
    Column("session", Text, primary_key=True),
    Column("at", BigInt, nullable=False),
)

# Single-use codes for accounts whose passkeys are lost.
recovery_codes = strict_table(
    "recovery_codes",
    metadata,
    Column("code_hash", Text, primary_key=True),
    Column("user_id", BigInt, ForeignKey("users.id", ondelete="CASCADE"), nullable=False),
    Column("created_at", BigInt, nullable=False),
    Column("used_at", BigInt),
    Index("recovery_codes_of_user", "user_id"),
)
