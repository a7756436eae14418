from sqlalchemy import CheckConstraint, Column

from quartet.downloads.metadata import metadata
from quartet.kernel.db import BigInt, SecretJson, strict_table
from quartet.kernel.push.tables import subscriptions_table

push_subscriptions = subscriptions_table(metadata)

# At most one row; none until the settings are saved.
notices = strict_table(
    "notices",
    metadata,
    Column("id", BigInt, CheckConstraint("id = 1"), primary_key=True, autoincrement=False),
    Column("settings", SecretJson, nullable=False),
)
