from sqlalchemy import Column

from quartet.kernel.db import Text, strict_table
from quartet.sync.metadata import metadata

# Hubs that have run at least once; the main hub's name is empty.
hubs = strict_table(
    "hubs",
    metadata,
    Column("name", Text, primary_key=True),
    Column("engine_id", Text, nullable=False),
    Column("address", Text, nullable=False),
)
