from sqlalchemy import Column, true

from quartet.downloads.metadata import metadata
from quartet.kernel.db import BigInt, Flag, Json, Secret, Text, strict_table

captcha_services = strict_table(
    "captcha_services",
    metadata,
    Column("id", BigInt, primary_key=True),
    Column("name", Text, nullable=False),
    Column("address", Text, nullable=False),
    Column("key", Secret, nullable=False),
    Column("protocol", Text, nullable=False),
    Column("enabled", Flag, nullable=False, server_default=true()),
    # Amounts in millionths of the currency of the service.
    Column("balance", BigInt),
    Column("solved", BigInt, nullable=False, server_default="0"),
    Column("spent", BigInt, nullable=False, server_default="0"),
    Column("error", Json),
)
