"""Codes of stations, measurements, reports, kept forecasts, statistics and gauges."""

from alembic import op
from sqlalchemy import Column, Index, PrimaryKeyConstraint

from quartet.kernel.db import BigInt, Bytes, Flag, Json, Real, Text

revision = "0002"
down_revision = "0001"


def upgrade() -> None:
    with op.batch_alter_table("stations") as stations:
        for name in ("icao", "wmo", "dwd", "region", "city"):
            stations.add_column(Column(name, Text))
        stations.add_column(Column("elevation", Real))
        stations.add_column(Column("country", Text, nullable=False, server_default=""))
        stations.add_column(Column("timezone", Text, nullable=False, server_default="UTC"))
    op.create_table(
        "lists",
        Column("name", Text, primary_key=True),
        Column("version", Text, nullable=False),
        sqlite_strict=True,
    )
    op.create_table(
        "measurements",
        Column("station", BigInt, nullable=False),
        Column("time", BigInt, nullable=False),
        Column("source", Text, nullable=False),
        Column("wind", Real, nullable=False),
        Column("gust", Real),
        Column("direction", BigInt),
        Column("variable", Flag, nullable=False),
        PrimaryKeyConstraint("station", "time", "source"),
        Index("measurements_by_time", "time"),
        sqlite_strict=True,
        sqlite_with_rowid=False,
    )
    op.create_table(
        "tafs",
        Column("station", BigInt, primary_key=True),
        Column("issued", BigInt, nullable=False),
        Column("report", Json, nullable=False),
        sqlite_strict=True,
    )
    op.create_table(
        "kept_forecasts",
        Column("station", BigInt, nullable=False),
        Column("model", Text, nullable=False),
        Column("run", BigInt, nullable=False),
        Column("hours", Bytes, nullable=False),
        PrimaryKeyConstraint("station", "model", "run"),
        Index("kept_forecasts_by_run", "run"),
        sqlite_strict=True,
        sqlite_with_rowid=False,
    )
    op.create_table(
        "statistics",
        Column("station", BigInt, primary_key=True),
        Column("asked", BigInt, nullable=False),
        Column("next_try", BigInt, nullable=False),
        Column("done", BigInt),
        Column("source", Text),
        Column("error", Json),
        sqlite_strict=True,
    )
    op.create_table(
        "statistics_years",
        Column("station", BigInt, nullable=False),
        Column("year", BigInt, nullable=False),
        Column("counts", Bytes, nullable=False),
        PrimaryKeyConstraint("station", "year"),
        sqlite_strict=True,
    )
    op.create_table(
        "gauges",
        Column("id", Text, primary_key=True),
        Column("gauge", Json, nullable=False),
        sqlite_strict=True,
    )
