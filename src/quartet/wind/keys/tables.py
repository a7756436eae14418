from sqlalchemy import Column

from quartet.kernel.db import Bytes, Text, strict_table
from quartet.wind.metadata import metadata

# Keys shared by several processes; a single process keeps them in its data folder.
keys = strict_table(
    "keys",
    metadata,
    Column("name", Text, primary_key=True),
    Column("value", Bytes, nullable=False),
)
