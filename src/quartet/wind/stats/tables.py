from sqlalchemy import Column, PrimaryKeyConstraint

from quartet.kernel.db import BigInt, Bytes, Json, Text, strict_table
from quartet.wind.metadata import metadata

# Requested statistics, including finished ones, which are updated every half year.
statistics = strict_table(
    "statistics",
    metadata,
    Column("station", BigInt, primary_key=True),
    Column("asked", BigInt, nullable=False),
    Column("next_try", BigInt, nullable=False),
    Column("done", BigInt),
    Column("source", Text),
    Column("error", Json),
)

# Histograms by year, see `counts.py`; stored years are not fetched again.
statistics_years = strict_table(
    "statistics_years",
    metadata,
    Column("station", BigInt, nullable=False),
    Column("year", BigInt, nullable=False),
    Column("counts", Bytes, nullable=False),
    PrimaryKeyConstraint("station", "year"),
)
