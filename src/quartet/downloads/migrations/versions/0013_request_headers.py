"""Headers and cookies that clients gave with a link."""

from alembic import op
from sqlalchemy import Column

from quartet.kernel.db import Text

revision = "0013"
down_revision = "0012"


def upgrade() -> None:
    op.add_column("downloads", Column("request_headers", Text))
