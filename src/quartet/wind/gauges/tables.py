from sqlalchemy import Column

from quartet.kernel.db import Json, Text, strict_table
from quartet.wind.metadata import metadata

# The last known state, used after a start.
gauges = strict_table(
    "gauges",
    metadata,
    Column("id", Text, primary_key=True),
    Column("gauge", Json, nullable=False),
)
