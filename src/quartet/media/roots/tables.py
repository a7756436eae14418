from sqlalchemy import CheckConstraint, Column, false, text

from quartet.kernel.db import BigInt, Flag, Json, Text, strict_table
from quartet.media.tables import metadata

folders = strict_table(
    "folders",
    metadata,
    Column("id", BigInt, primary_key=True),
    Column("path", Text, nullable=False),
    Column("name", Text, nullable=False),
    Column("kind", Text, nullable=False),
    Column("default", Flag, nullable=False),
    Column("mounted", Flag, nullable=False),
    Column("nfo", Flag, nullable=False, server_default=false()),
    Column("subtitles", Json),
    Column("poster_width", BigInt, nullable=False, server_default=text("780")),
    Column("fanart_width", BigInt, nullable=False, server_default=text("1280")),
)
# Has a row after the first start, even if all folders are removed later.
folders_begun = strict_table(
    "folders_begun",
    metadata,
    Column("id", BigInt, CheckConstraint("id = 1"), primary_key=True, autoincrement=False),
)
