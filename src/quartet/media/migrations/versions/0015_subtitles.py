"""Languages in which a library gets subtitles."""

from alembic import op
from sqlalchemy import Column

from quartet.kernel.db import Json

revision = "0015"
down_revision = "0014"


def upgrade() -> None:
    op.add_column("folders", Column("subtitles", Json))
