"""A page of a job's items follows an index instead of sorting all of them."""

from alembic import op

revision = "0009"
down_revision = "0008"


def upgrade() -> None:
    op.create_index("items_job", "items", ["job_id", "id"])
