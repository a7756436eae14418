from sqlalchemy import CheckConstraint, Column

from quartet.kernel.db import BigInt, SecretJson, strict_table
from quartet.kernel.push.tables import subscriptions_table
from quartet.media.tables import metadata

push_subscriptions = subscriptions_table(metadata)

notifications = strict_table(
    "notifications",
    metadata,
    Column("id", BigInt, CheckConstraint("id = 1"), primary_key=True, autoincrement=False),
    Column("value", SecretJson, nullable=False),
)
