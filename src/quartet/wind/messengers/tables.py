from sqlalchemy import Column, ForeignKey

from quartet.kernel.db import BigInt, Secret, strict_table
from quartet.wind.metadata import metadata

# Addresses of users at services such as ntfy and Telegram.
messengers = strict_table(
    "messengers",
    metadata,
    Column("id", BigInt, primary_key=True),
    Column(
        "user_id", BigInt, ForeignKey("users.id", ondelete="CASCADE"), nullable=False, index=True
    ),
    Column("url", Secret, nullable=False),
    Column("created_at", BigInt, nullable=False),
    # Since when deliveries have failed; null if the last one succeeded.
    Column("failed_at", BigInt),
)
