"""Sign-in with an OpenID Connect provider."""

from alembic import op
from sqlalchemy import Column, ForeignKey

from quartet.kernel.db import BigInt, Flag, Text

revision = "0021"
down_revision = "0020"


def upgrade() -> None:
    op.create_table(
        "account_identities",
        Column("issuer", Text, primary_key=True),
        Column("subject", Text, primary_key=True),
        Column("account", Text, ForeignKey("accounts.name", ondelete="CASCADE"), nullable=False),
        Column("follows_groups", Flag, nullable=False),
        sqlite_strict=True,
    )
    op.create_index("ix_account_identities_account", "account_identities", ["account"])
    op.create_table(
        "oidc_attempts",
        Column("state_hash", Text, primary_key=True),
        Column("nonce", Text, nullable=False),
        Column("verifier", Text, nullable=False),
        Column("redirect_uri", Text, nullable=False),
        Column("next", Text, nullable=False),
        Column("invitation_hash", Text),
        Column("expires_at", BigInt, nullable=False, index=True),
        sqlite_strict=True,
    )
