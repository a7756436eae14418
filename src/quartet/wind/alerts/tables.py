from sqlalchemy import Column, ForeignKey, ForeignKeyConstraint, Index, PrimaryKeyConstraint

from quartet.kernel.db import BigInt, Flag, Json, Real, Text, strict_table
from quartet.wind.metadata import metadata

# One for each spot. `chosen` is the model it follows: `model`, or the best one there.
# It has not been looked at since it was changed while `revision` is above `seen_revision`.
alarms = strict_table(
    "alarms",
    metadata,
    Column("spot", BigInt, ForeignKey("spots.id", ondelete="CASCADE"), primary_key=True),
    Column("enabled", Flag, nullable=False),
    Column("wind_min", Real, nullable=False),
    Column("wind_max", Real),
    Column("gust_max", Real),
    # Those of the spot where nothing is said.
    Column("directions", Json),
    Column("hour_from", BigInt, nullable=False),
    Column("hour_to", BigInt, nullable=False),
    # Bits, the lowest is Monday.
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
)

# What has been found, see `sameness.py`.
alarm_windows = strict_table(
    "alarm_windows",
    metadata,
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
)

# What is told and was told. The key is why nothing is told twice.
alarm_messages = strict_table(
    "alarm_messages",
    metadata,
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
    # Browsers that could not be reached yet, when others could.
    Column("left_over", Json),
    # The forecast as it is told.
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
)

# The last run of each model that was looked at.
alarm_runs = strict_table(
    "alarm_runs",
    metadata,
    Column("model", Text, primary_key=True),
    Column("run", BigInt, nullable=False),
    Column("at", BigInt, nullable=False),
    Column("seconds", Real, nullable=False),
    Column("alarms", BigInt, nullable=False),
    Column("told", BigInt, nullable=False),
)
