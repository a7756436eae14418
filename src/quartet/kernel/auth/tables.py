from sqlalchemy import Column, MetaData, Table

from quartet.kernel.db import BigInt, Text, strict_table


def sessions_table(metadata: MetaData) -> Table:
    return strict_table(
        "sessions",
        metadata,
        Column("token_hash", Text, primary_key=True),
        Column("subject", Text, nullable=False, index=True),
        Column("created_at", BigInt, nullable=False),
        Column("expires_at", BigInt, nullable=False),
        Column("seen_at", BigInt),
        Column("address", Text),
        Column("device", Text),
    )
