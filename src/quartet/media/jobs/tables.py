from sqlalchemy import Column, ForeignKey, Index

from quartet.kernel.db import BigInt, Flag, Json, Real, Text, postgresql_index, strict_table
from quartet.media.moves.tables import SystemPath
from quartet.media.tables import metadata

jobs = strict_table(
    "jobs",
    metadata,
    Column("id", BigInt, primary_key=True),
    Column("kind", Text, nullable=False),
    Column("status", Text, nullable=False),
    Column("watch_folder_id", BigInt),
    # JSON with a stable encoding, so that equal paths are equal text.
    Column("paths", Text, nullable=False),
    Column("config", Text, nullable=False),
    # The download client's call without its path; equal calls are equal text.
    Column("asked", Text),
    # The stage at which the next preview starts: scan, match, retry or render.
    Column("begin", Text, nullable=False),
    Column("done", BigInt, nullable=False),
    Column("total", BigInt, nullable=False),
    Column("error", Json),
    Column("created_at", BigInt, nullable=False),
    Column("finished_at", BigInt),
    # How many times a catalog that did not answer was asked again, and when it is asked next.
    Column("retries", BigInt, nullable=False, server_default="0"),
    Column("retry_at", BigInt),
    # JSON; null if nothing was removed and nothing stayed behind.
    Column("cleaned", Text),
    Index("jobs_status", "status"),
)

items = strict_table(
    "items",
    metadata,
    Column("id", BigInt, primary_key=True),
    Column("job_id", BigInt, ForeignKey("jobs.id", ondelete="CASCADE"), nullable=False),
    Column("source", SystemPath, nullable=False),
    Column("is_folder", Flag, nullable=False),
    Column("size", BigInt, nullable=False),
    Column("mtime_ns", BigInt, nullable=False),
    # The next three columns are JSON, decoded directly into their types.
    Column("companions", Text, nullable=False),
    Column("parsed", Text),
    Column("match", Text),
    Column("confidence", Real, nullable=False),
    Column("target", SystemPath),
    # Equal for targets that could be the same file on some disk.
    Column("target_key", Text),
    Column("override_target", SystemPath),
    Column("excluded", Flag, nullable=False),
    Column("approved", Flag, nullable=False),
    # Chosen for execution, or being executed.
    Column("chosen", Flag, nullable=False),
    Column("state", Text, nullable=False),
    Column("reasons", Json, nullable=False),
    Column("conflict", Text),
    Column("error", Json),
    # For paging; without it every page would sort all items of the job.
    Index("items_job", "job_id", "id"),
    Index("items_job_state", "job_id", "state"),
    Index("items_target", "job_id", "target_key"),
    Index("items_state", "state"),
    postgresql_index(Index("items_source", "source"), using="hash"),
)

# How many items of a job are in a state; kept by `store_item_counts`.
item_counts = strict_table(
    "item_counts",
    metadata,
    Column("job_id", BigInt, ForeignKey("jobs.id", ondelete="CASCADE"), primary_key=True),
    Column("state", Text, primary_key=True),
    Column("number", BigInt, nullable=False),
    Index("item_counts_state", "state", "number"),
)

# Files of removed jobs. A row is deleted once its file is gone.
seen_files = strict_table(
    "seen_files",
    metadata,
    Column("id", BigInt, primary_key=True),
    Column("source", SystemPath, nullable=False),
    Column("size", BigInt, nullable=False),
    Column("mtime_ns", BigInt, nullable=False),
    postgresql_index(Index("seen_files_source", "source"), using="hash"),
)
