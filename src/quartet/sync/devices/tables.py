from sqlalchemy import Column, Table

from quartet.kernel.db import BigInt, Bytes, Flag, Json, Text
from quartet.sync.metadata import metadata

devices = Table(
    "devices",
    metadata,
    Column("id", BigInt, primary_key=True),
    Column("name", Text, nullable=False),
    Column("kind", Text, nullable=False),
    Column("os", Text, nullable=False),
    Column("public_key", Bytes, nullable=False, unique=True),
    Column("syncthing_id", Text, nullable=False, unique=True),
    Column("agent_version", Text, nullable=False),
    Column("syncthing_version", Text, nullable=False),
    Column("approved", Flag, nullable=False),
    Column("created_at", BigInt, nullable=False),
    Column("last_seen", BigInt, nullable=False),
    Column("applied_rev", BigInt, nullable=False),
    # How fast it may sync, and when.
    Column("traffic", Json, nullable=False, server_default="{}"),
    # Counts its connections: of two sockets on two servers the newer one has the larger number.
    Column("generation", BigInt, nullable=False, server_default="0"),
    # The name of the hub it dials; empty is the main one.
    Column("hub", Text, nullable=False, server_default=""),
    sqlite_strict=True,
    # The number of a removed device never becomes that of another.
    sqlite_autoincrement=True,
)
