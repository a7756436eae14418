"""Order the history by time, because imported entries are older than their ids."""

from alembic import op

revision = "0017"
down_revision = "0016"


def upgrade() -> None:
    op.create_index("operations_time", "operations", ["state", "executed_at", "id"])
