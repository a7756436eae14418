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
    Column("icao", Text),
    Column("wmo", Text),
    Column("dwd", Text),
    Column("region", Text),
    Column("city", Text),
    Column("elevation", Real),
    Column("country", Text, nullable=False, server_default=""),
    Column("timezone", Text, nullable=False, server_default="UTC"),
)

# Imported version of each list.
lists = strict_table(
    "lists",
    metadata,
    Column("name", Text, primary_key=True),
    Column("version", Text, nullable=False),
)
