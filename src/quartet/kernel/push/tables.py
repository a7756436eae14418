from sqlalchemy import Column, ForeignKey, MetaData, Table

from quartet.kernel.db import BigInt, Text, strict_table

NAME = "push_subscriptions"


def subscriptions_table(metadata: MetaData, accounts: str | None = None) -> Table:
    """The browsers that receive messages; `accounts` is the column with the ids of users."""
    foreign = [] if accounts is None else [ForeignKey(accounts, ondelete="CASCADE")]
    return strict_table(
        NAME,
        metadata,
        Column("id", BigInt, primary_key=True),
        Column("user_id", BigInt, *foreign, nullable=False, index=True),
        # Secret: anyone who knows it can send to the browser.
        Column("endpoint", Text, nullable=False, unique=True),
        Column("p256dh", Text, nullable=False),
        Column("auth", Text, nullable=False),
        Column("created_at", BigInt, nullable=False),
        # Since when deliveries have failed; null if the last one succeeded.
        Column("failed_at", BigInt),
        # The hash of the session that subscribed; null for callers without a session.
        Column("session", Text, index=True),
    )
