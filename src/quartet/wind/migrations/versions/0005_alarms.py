"""Alarms, the windows they found and the messages about them."""

from alembic import op
from sqlalchemy import Column, ForeignKey, ForeignKeyConstraint, Index, PrimaryKeyConstraint

from quartet.kernel.db import BigInt, Flag, Json, Real, Text

revision = "0005"
down_revision = "0004"


def upgrade() -> None:
    op.create_table(
        "alarms",
        Column("spot", BigInt, ForeignKey("spots.id", ondelete="CASCADE"), primary_key=True),
        Column("enabled", Flag, nullable=False),
        Column("wind_min", Real, nullable=False),
        Column("wind_max", Real),
        Column("gust_max", Real),
        Column("directions", Json),
        Column("hour_from", BigInt, nullable=False),
        Column("hour_to", BigInt, nullable=False),
        Column("weekdays", BigInt, nullable=False),
        Column("lead_hours", BigInt, nullable=False),
        Column("min_hours", BigInt, nullable=False),
        Column("model", Text),
        Column("push", Flag, nullable=False),
        Column("email", Flag, nullable=False),
        Column("quiet_from", BigInt),
        Column("quiet_to", BigInt),
        Column("chosen", Text),
        Column("revision", BigInt, nullable=False),
        Column("seen_revision", BigInt, nullable=False),
        Index("alarms_by_chosen", "chosen"),
        sqlite_strict=True,
    )
    op.create_table(
        "alarm_runs",
        Column("model", Text, primary_key=True),
        Column("run", BigInt, nullable=False),
        Column("at", BigInt, nullable=False),
        Column("seconds", Real, nullable=False),
        Column("alarms", BigInt, nullable=False),
        Column("told", BigInt, nullable=False),
        sqlite_strict=True,
    )
    _found()


def _found() -> None:
    op.create_table(
        "alarm_windows",
        Column("alarm", BigInt, ForeignKey("alarms.spot", ondelete="CASCADE"), nullable=False),
        Column("began", BigInt, nullable=False),
        Column("start", BigInt, nullable=False),
        Column("end", BigInt, nullable=False),
        Column("turn", BigInt, nullable=False),
        Column("misses", BigInt, nullable=False),
        Column("missing_since", BigInt),
        Column("missed_run", BigInt),
        PrimaryKeyConstraint("alarm", "began"),
        Index("alarm_windows_by_end", "end"),
        sqlite_strict=True,
    )
    op.create_table(
        "alarm_messages",
        Column("alarm", BigInt, nullable=False),
        Column("began", BigInt, nullable=False),
        Column("turn", BigInt, nullable=False),
        Column("channel", Text, nullable=False),
        Column("state", Text, nullable=False),
        Column("made_at", BigInt, nullable=False),
        Column("due_at", BigInt, nullable=False),
        Column("expires_at", BigInt, nullable=False),
        Column("tried", BigInt, nullable=False),
        Column("claimed_at", BigInt),
        Column("sent_at", BigInt),
        Column("error", Json),
        Column("left_over", Json),
        Column("start", BigInt, nullable=False),
        Column("end", BigInt, nullable=False),
        Column("wind_low", BigInt, nullable=False),
        Column("wind_high", BigInt, nullable=False),
        Column("gust", BigInt),
        Column("direction", BigInt, nullable=False),
        Column("model", Text, nullable=False),
        Column("run", BigInt, nullable=False),
        PrimaryKeyConstraint("alarm", "began", "turn", "channel"),
        ForeignKeyConstraint(
            ["alarm", "began"], ["alarm_windows.alarm", "alarm_windows.began"], ondelete="CASCADE"
        ),
        Index("alarm_messages_by_state", "state", "due_at"),
        sqlite_strict=True,
    )
