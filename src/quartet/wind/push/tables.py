from sqlalchemy import Column, ForeignKey

from quartet.kernel.db import BigInt, Text, strict_table
from quartet.wind.metadata import metadata

subscriptions = strict_table(
    "push_subscriptions",
    metadata,
    Column("id", BigInt, primary_key=True),
    Column(
        "user_id", BigInt, ForeignKey("users.id", ondelete="CASCADE"), nullable=False, index=True
    ),
    # Secret: anyone who knows it can send to the browser.
    Column("endpoint", Text, nullable=False, unique=True),
    Column("p256dh", Text, nullable=False),
    Column("auth", Text, nullable=False),
    Column("created_at", BigInt, nullable=False),
    # Since when deliveries have failed; null if the last one succeeded.
    Column("failed_at", BigInt),
    # The hash of the session that subscribed; null for subscriptions of older versions.
    Column("session", Text, index=True),
)
