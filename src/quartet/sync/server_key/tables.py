from sqlalchemy import Column

from quartet.kernel.db import BigInt, SecretBytes, strict_table
from quartet.sync.metadata import metadata

# The keys by which the server identifies itself to agents; the newest one is in use. They are in
# the database, so that all servers of an installation and a restored backup have the same key.
server_keys = strict_table(
    "server_keys",
    metadata,
    Column("number", BigInt, primary_key=True, autoincrement=False),
    Column("private_key", SecretBytes, nullable=False),
    Column("created_at", BigInt, nullable=False),
)
