from sqlalchemy import Column, Index, PrimaryKeyConstraint

from quartet.kernel.db import BigInt, Bytes, Text, strict_table
from quartet.wind.metadata import metadata

# What Best and all models said at a time about the next 72 hours, packed as in `issued.py`. A row
# is written once and never changed.
issued_forecasts = strict_table(
    "issued_forecasts",
    metadata,
    Column("station", BigInt, nullable=False),
    Column("issued", BigInt, nullable=False),
    Column("models", Text, nullable=False),
    Column("hours", Bytes, nullable=False),
    PrimaryKeyConstraint("station", "issued"),
    Index("issued_forecasts_by_time", "issued"),
)

# Sums of errors of the forecasts for one day, packed as in `sums.py`; station 0 stands for all.
verified_days = strict_table(
    "verified_days",
    metadata,
    Column("station", BigInt, nullable=False),
    Column("day", BigInt, nullable=False),
    Column("models", Text, nullable=False),
    Column("sums", Bytes, nullable=False),
    PrimaryKeyConstraint("station", "day"),
    Index("verified_days_by_day", "day"),
)
