from sqlalchemy import CheckConstraint, Column

from quartet.kernel.db import BigInt, Bytes, Json, Text, strict_table
from quartet.sync.metadata import metadata

# One row: the number of the current revision, and who this server is to its agents.
config_rev = strict_table(
    "config_rev",
    metadata,
    Column("id", BigInt, CheckConstraint("id = 1"), primary_key=True, autoincrement=False),
    Column("revision", BigInt, nullable=False),
    Column("server_id", Text, nullable=False),
)

revisions = strict_table(
    "revisions",
    metadata,
    Column("revision", BigInt, primary_key=True, autoincrement=False),
    Column("at", BigInt, nullable=False),
    Column("who", Text, nullable=False),
    Column("what", Json, nullable=False),
    # Compressed JSON of the whole configuration.
    Column("snapshot", Bytes, nullable=False),
)
