from sqlalchemy import Column

from quartet.downloads.metadata import metadata
from quartet.kernel.db import BigInt, Bytes, Text, strict_table

# Account 0 means calls without an account.
plugin_cookies = strict_table(
    "plugin_cookies",
    metadata,
    Column("plugin_id", Text, primary_key=True),
    Column("account_id", BigInt, primary_key=True, autoincrement=False),
    Column("cookies", Bytes, nullable=False),
)
