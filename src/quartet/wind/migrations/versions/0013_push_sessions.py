"""The session of each push subscription."""

from alembic import op
from sqlalchemy import Column

from quartet.kernel.db import Text

revision = "0013"
down_revision = "0012"


def upgrade() -> None:
    op.add_column("push_subscriptions", Column("session", Text))
    op.create_index("ix_push_subscriptions_session", "push_subscriptions", ["session"])
