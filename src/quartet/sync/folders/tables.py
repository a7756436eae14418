from sqlalchemy import Column, Table

from quartet.kernel.db import BigInt, Flag, Json, Text
from quartet.sync.metadata import metadata

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
    # The number of a removed folder never becomes that of another.
    sqlite_autoincrement=True,
)
