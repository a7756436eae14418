from sqlalchemy import Column

from quartet.kernel.db import BigInt, Text, strict_table
from quartet.sync.metadata import metadata

# Sign-ins that have begun; each row is deleted when the browser returns from the provider.
oidc_attempts = strict_table(
    "oidc_attempts",
    metadata,
    Column("state_hash", Text, primary_key=True),
    Column("nonce", Text, nullable=False),
    Column("verifier", Text, nullable=False),
    Column("redirect_uri", Text, nullable=False),
    Column("next", Text, nullable=False),
    Column("invitation_hash", Text),
    Column("expires_at", BigInt, nullable=False, index=True),
)
