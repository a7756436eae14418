"""What a job left behind in its source folders."""

from alembic import op
from sqlalchemy import Column

from quartet.kernel.db import Text

revision = "0020"
down_revision = "0019"


def upgrade() -> None:
    op.add_column("jobs", Column("cleaned", Text))
