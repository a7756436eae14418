from sqlalchemy import Column, Index, PrimaryKeyConstraint

from quartet.kernel.db import BigInt, Flag, Json, Real, Text, strict_table
from quartet.wind.metadata import metadata

measurements = strict_table(
    "measurements",
    metadata,
    Column("station", BigInt, nullable=False),
    Column("time", BigInt, nullable=False),
    Column("source", Text, nullable=False),
    Column("wind", Real, nullable=False),
    Column("gust", Real),
    Column("direction", BigInt),
    Column("variable", Flag, nullable=False),
    PrimaryKeyConstraint("station", "time", "source"),
    Index("measurements_by_time", "time"),
)

# The newest TAF of each station.
tafs = strict_table(
    "tafs",
    metadata,
    Column("station", BigInt, primary_key=True),
    Column("issued", BigInt, nullable=False),
    Column("report", Json, nullable=False),
)
