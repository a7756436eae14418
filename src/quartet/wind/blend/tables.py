from sqlalchemy import Column

from quartet.kernel.db import BigInt, Bytes, Text, strict_table
from quartet.wind.metadata import metadata

# What was learnt about each station until an hour, packed as in `state.py`.
blend_states = strict_table(
    "blend_states",
    metadata,
    Column("station", BigInt, primary_key=True),
    Column("version", BigInt, nullable=False),
    Column("learned", BigInt, nullable=False),
    Column("models", Text, nullable=False),
    Column("numbers", Bytes, nullable=False),
)
