"""Counting the items of a job by state reads an index instead of every item."""

from alembic import op

revision = "0008"
down_revision = "0007"


def upgrade() -> None:
    op.create_index("items_job_state", "items", ["job_id", "state"])
    op.drop_index("items_job", "items")
