from sqlalchemy import CheckConstraint, Column

from quartet.kernel.db import BigInt, SecretJson, strict_table
from quartet.kernel.push.tables import subscriptions_table
from quartet.sync.metadata import metadata

push_subscriptions = subscriptions_table(metadata)

# One row, or none until the settings are first saved.
notices = strict_table(
    "notices",
    metadata,
    Column("id", BigInt, CheckConstraint("id = 1"), primary_key=True, autoincrement=False),
    Column("settings", SecretJson, nullable=False),
)
