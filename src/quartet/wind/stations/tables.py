from sqlalchemy import Column

from quartet.kernel.db import BigInt, Real, Text, strict_table
from quartet.wind.metadata import metadata

stations = strict_table(
    "stations",
    metadata,
    Column("id", BigInt, primary_key=True),
    Column("slug", Text, nullable=False, unique=True),
    Column("name", Text, nullable=False),
    Column("lat", Real, nullable=False),
    Column("lon", Real, nullable=False),
)
