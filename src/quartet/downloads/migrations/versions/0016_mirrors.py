"""Further addresses of a file, from which it is fetched at the same time."""

from alembic import op
from sqlalchemy import Column, text

from quartet.kernel.db import Json

revision = "0016"
down_revision = "0015"


def upgrade() -> None:
    op.add_column("downloads", Column("mirrors", Json))
    # Until now only aria2 clients could give them.
    op.execute(
        text(
            "UPDATE downloads SET mirrors = ("
            "SELECT uris FROM aria2_downloads WHERE download_id = downloads.id AND uris <> '[]')"
        )
    )
