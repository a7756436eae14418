from sqlalchemy import CheckConstraint, Column, ForeignKey, Table, false

from quartet.kernel.db import BigInt, Bytes, Flag, Json, Secret, Text, strict_table
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
    # Speed limits and schedule.
    Column("traffic", Json, nullable=False, server_default="{}"),
    # Counts connections: of two sockets at two servers, the newer one has the larger number.
    Column("generation", BigInt, nullable=False, server_default="0"),
    # Name of the device's hub; empty for the main hub.
    Column("hub", Text, nullable=False, server_default=""),
    # True for a device with only a Syncthing engine.
    Column("agentless", Flag, nullable=False, server_default=false()),
    # Where new shares are stored; empty for the template of the server.
    Column("path_template", Text, nullable=False, server_default=""),
    sqlite_strict=True,
    # Ids of removed devices are never reused.
    sqlite_autoincrement=True,
)


folders = Table(
    "folders",
    metadata,
    Column("id", BigInt, primary_key=True),
    Column("label", Text, nullable=False),
    Column("syncthing_folder_id", Text, nullable=False, unique=True),
    Column("ignore_patterns", Json, nullable=False),
    Column("versioning", Json, nullable=False),
    Column("encrypted_on_hub", Flag, nullable=False),
    Column("created_at", BigInt, nullable=False),
    sqlite_strict=True,
    # Ids of removed folders are never reused.
    sqlite_autoincrement=True,
)


# A missing row means that the folder is off on the device.
shares = strict_table(
    "shares",
    metadata,
    Column("folder_id", BigInt, ForeignKey(folders.c.id, ondelete="CASCADE"), primary_key=True),
    Column(
        "device_id",
        BigInt,
        ForeignKey(devices.c.id, ondelete="CASCADE"),
        primary_key=True,
        index=True,
    ),
    Column("mode", Text, nullable=False),
    Column("path", Text, nullable=False),
    Column("held", Flag, nullable=False, server_default=false()),
    Column("repair", BigInt, nullable=False, server_default="0"),
    # Apply on this device only, after those of the folder.
    Column("ignore_patterns", Json, nullable=False, server_default="[]"),
    Column("paused", Flag, nullable=False, server_default=false()),
)


# Passwords with which the hub encrypts what it sends to a device. They are kept when the share is
# switched off, because the device still has the encrypted files.
encryption_passwords = strict_table(
    "encryption_passwords",
    metadata,
    Column("folder_id", BigInt, ForeignKey(folders.c.id, ondelete="CASCADE"), primary_key=True),
    Column("device_id", BigInt, ForeignKey(devices.c.id, ondelete="CASCADE"), primary_key=True),
    Column("password", Secret, nullable=False),
)


# A single row: the current revision number, and the server's identity for its agents.
config_rev = strict_table(
    "config_rev",
    metadata,
    Column("id", BigInt, CheckConstraint("id = 1"), primary_key=True, autoincrement=False),
    Column("revision", BigInt, nullable=False),
    Column("server_id", Text, nullable=False),
    # Changes when a user begins a new epoch.
    Column("epoch_salt", Text, nullable=False, server_default=""),
    # Where new shares are stored on devices without a template; empty for the default.
    Column("path_template", Text, nullable=False, server_default=""),
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
