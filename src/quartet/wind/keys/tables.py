from sqlalchemy import Column

from quartet.kernel.db import Bytes, Text, strict_table
from quartet.wind.metadata import metadata

# Keys that several processes must have in common; one alone keeps them in its folder.
keys = strict_table(
    "keys",
    metadata,
    Column("name", Text, primary_key=True),
    Column("value", Bytes, nullable=False),
)
