"""The number of items per job and state, so that lists of jobs need not count them."""

from alembic import op
from sqlalchemy import Column, ForeignKey

from quartet.kernel.db import BigInt, Text

revision = "0019"
down_revision = "0018"


def upgrade() -> None:
    op.create_table(
        "item_counts",
        Column("job_id", BigInt, ForeignKey("jobs.id", ondelete="CASCADE"), primary_key=True),
        Column("state", Text, primary_key=True),
        Column("number", BigInt, nullable=False),
        sqlite_strict=True,
    )
    op.create_index("item_counts_state", "item_counts", ["state", "number"])
    op.execute(
        "INSERT INTO item_counts (job_id, state, number) "
        "SELECT job_id, state, count(*) FROM items GROUP BY job_id, state"
    )
