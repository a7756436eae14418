from sqlalchemy import (
    Column,
    ForeignKey,
    ForeignKeyConstraint,
    Index,
    PrimaryKeyConstraint,
    false,
)

from quartet.kernel.db import BigInt, Flag, Json, Real, Text, strict_table
from quartet.wind.metadata import metadata

# One alert per spot. `chosen` is the model in use: `model`, or the best one at the spot. The alert
# has to be evaluated while `revision` is greater than `seen_revision`.
alarms = strict_table(
    "alarms",
    metadata,
    Column("spot", BigInt, ForeignKey("spots.id", ondelete="CASCADE"), primary_key=True),
    Column("enabled", Flag, nullable=False),
    Column("wind_min", Real, nullable=False),
    Column("wind_max", Real),
    Column("gust_max", Real),
    # Null: the directions of the spot apply.
    Column("directions", Json),
    Column("hour_from", BigInt, nullable=False),
    Column("hour_to", BigInt, nullable=False),
    # Bit mask; the lowest bit is Monday.
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
    Column("measured", Flag, nullable=False, server_default=false()),
    # Millimetres per hour, degrees Celsius, and metres.
    Column("rain_max", Real),
    Column("temperature_min", BigInt),
    Column("messenger", Flag, nullable=False, server_default=false()),
    Column("wave_max", Real),
    Column("chance_min", BigInt),
    Index("alarms_by_chosen", "chosen"),
)

# Windows found so far, see `window_dedup.py`. Measured wind has a negative `began`.
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

# Messages about single windows, waiting or done. The primary key prevents duplicates; a withdrawal
# has the negative turn of its announcement. What is due for a user is sent as one message.
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
    # Browsers or addresses not reached yet, while others were.
    Column("left_over", Json),
    # The forecast as announced.
    Column("start", BigInt, nullable=False),
    Column("end", BigInt, nullable=False),
    Column("wind_low", BigInt, nullable=False),
    Column("wind_high", BigInt, nullable=False),
    Column("gust", BigInt),
    Column("direction", BigInt, nullable=False),
    Column("model", Text, nullable=False),
    Column("run", BigInt, nullable=False),
    Column("kind", Text, nullable=False, server_default="window"),
    # Messages with the same value were sent as one; kept while it is unknown whether they arrived.
    Column("bundle", Text),
    # The wind in tenths of a knot; rounded knots would be wrong after a conversion. Null in
    # messages of earlier versions.
    Column("exact_low", Real),
    Column("exact_high", Real),
    Column("exact_gust", Real),
    PrimaryKeyConstraint("alarm", "began", "turn", "channel"),
    ForeignKeyConstraint(
        ["alarm", "began"], ["alarm_windows.alarm", "alarm_windows.began"], ondelete="CASCADE"
    ),
    Index("alarm_messages_by_state", "state", "due_at"),
)

# The last evaluated run of each model.
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

# How a user gets the messages of all alerts.
alarm_settings = strict_table(
    "alarm_settings",
    metadata,
    Column("user_id", BigInt, ForeignKey("users.id", ondelete="CASCADE"), primary_key=True),
    # The local hour of the daily digest; null to send messages at once.
    Column("digest_hour", BigInt),
    Column("digest_timezone", Text),
)

# Whether it was blowing at the last measurement, for alerts on measured wind.
alarm_measured = strict_table(
    "alarm_measured",
    metadata,
    Column("alarm", BigInt, ForeignKey("alarms.spot", ondelete="CASCADE"), primary_key=True),
    Column("blowing", Flag, nullable=False),
    Column("calm_since", BigInt),
    Column("seen_at", BigInt, nullable=False),
)
