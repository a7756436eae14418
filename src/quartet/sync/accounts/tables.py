from sqlalchemy import Column, ForeignKey

from quartet.kernel.db import BigInt, Flag, Text, strict_table
from quartet.sync.config.tables import devices
from quartet.sync.metadata import metadata

# All accounts except the first admin, who has a table of its own.
accounts = strict_table(
    "accounts",
    metadata,
    Column("name", Text, primary_key=True),
    Column("role", Text, nullable=False),
    # `NO_PASSWORD` in the store for an account without one.
    Column("password_hash", Text, nullable=False),
    Column("created_at", BigInt, nullable=False),
)

account_devices = strict_table(
    "account_devices",
    metadata,
    Column("account", Text, ForeignKey(accounts.c.name, ondelete="CASCADE"), primary_key=True),
    Column(
        "device_id",
        BigInt,
        ForeignKey(devices.c.id, ondelete="CASCADE"),
        primary_key=True,
        index=True,
    ),
)

# An account has at most one invitation; a new one replaces it.
account_invitations = strict_table(
    "account_invitations",
    metadata,
    Column("account", Text, ForeignKey(accounts.c.name, ondelete="CASCADE"), primary_key=True),
    # The token itself is known only to those who have the link.
    Column("token_hash", Text, nullable=False, unique=True),
    Column("expires_at", BigInt, nullable=False),
)

# People at a sign-in provider, recognised by its issuer and their subject.
account_identities = strict_table(
    "account_identities",
    metadata,
    Column("issuer", Text, primary_key=True),
    Column("subject", Text, primary_key=True),
    Column(
        "account",
        Text,
        ForeignKey(accounts.c.name, ondelete="CASCADE"),
        nullable=False,
        index=True,
    ),
    # Whether each sign-in sets the role by the groups of the person.
    Column("follows_groups", Flag, nullable=False),
)
