from sqlalchemy import Column

from quartet.downloads.metadata import metadata
from quartet.kernel.db import BigInt, Secret, Text, strict_table

server_logins = strict_table(
    "server_logins",
    metadata,
    Column("id", BigInt, primary_key=True),
    # Scheme, host and port.
    Column("address", Text, nullable=False, unique=True),
    Column("user", Text, nullable=False),
    Column("password", Secret, nullable=False),
)
