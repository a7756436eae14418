from sqlalchemy import Column, Index, PrimaryKeyConstraint

from quartet.kernel.db import BigInt, Bytes, Text, strict_table
from quartet.wind.metadata import metadata

# Forecasts for the next 72 hours at a station, packed as in `hours.py`.
kept_forecasts = strict_table(
    "kept_forecasts",
    metadata,
    Column("station", BigInt, nullable=False),
    Column("model", Text, nullable=False),
    Column("run", BigInt, nullable=False),
    Column("hours", Bytes, nullable=False),
    PrimaryKeyConstraint("station", "model", "run"),
    Index("kept_forecasts_by_run", "run"),
)
