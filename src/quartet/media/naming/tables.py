from sqlalchemy import Column

from quartet.kernel.db import Text, strict_table
from quartet.media.tables import metadata

formats = strict_table(
    "formats",
    metadata,
    Column("id", Text, primary_key=True),
    Column("name", Text, nullable=False),
    Column("kind", Text, nullable=False),
    Column("template", Text, nullable=False),
)
