from sqlalchemy import Column, ForeignKey, Index, false, text

from quartet.downloads.metadata import metadata
from quartet.kernel.db import (
    BigInt,
    Flag,
    Json,
    Secret,
    SecretJson,
    Text,
    postgresql_index,
    strict_table,
)

# Ids are never reused (AUTOINCREMENT in the migration), so that a late message about a deleted
# download cannot affect another one.
packages = strict_table(
    "packages",
    metadata,
    Column("id", BigInt, primary_key=True),
    Column("name", Text, nullable=False),
    Column("target_dir", Text, nullable=False),
    Column("source", Text, nullable=False),
    Column("source_page", Text),
    Column("collector", Flag, nullable=False),
    Column("extract", Text),
    Column("extract_error", Json),
    # What the user should know about a finished extraction, as a list of messages.
    Column("extract_notes", Json),
    # Whether archives inside archives are extracted; null means as set in the options.
    Column("extract_nested", Flag),
    # Whether the archives are extracted when the package is complete; null means as set.
    Column("auto_extract", Flag),
    # The rules have been applied.
    Column("ruled", Flag, nullable=False, server_default=false()),
    # Former target folders from which files still have to be moved.
    Column("moved_from", Json),
    Column("passwords", SecretJson, nullable=False),
    Column("download_password", Secret),
    Column("priority", BigInt, nullable=False),
    Column("speed_limit_kib", BigInt, nullable=False),
    Column("position", BigInt, nullable=False),
    Column("created_at", BigInt, nullable=False),
    # The user gave no name, so the package may be renamed after a folder in it.
    Column("auto_named", Flag, nullable=False, server_default=false()),
    Index("packages_in_order", "collector", "position"),
)
# Checksum lists. Written as text, because an index is only used for an identical expression.
IS_LIST = " OR ".join(f"lower(name) LIKE '%.{end}'" for end in ("sfv", "md5", "sha1", "sha256"))

downloads = strict_table(
    "downloads",
    metadata,
    Column("id", BigInt, primary_key=True),
    Column("package_id", BigInt, ForeignKey("packages.id", ondelete="CASCADE"), nullable=False),
    Column("url", Text, nullable=False),
    Column("host", Text, nullable=False),
    Column("plugin_id", Text),
    Column("status", Text, nullable=False),
    Column("online", Text, nullable=False),
    Column("check_wanted", Flag, nullable=False),
    Column("name", Text, nullable=False),
    # The user chose the name, so that the server's is not used.
    Column("name_fixed", Flag, nullable=False, server_default=false()),
    Column("size", BigInt),
    Column("bytes_done", BigInt, nullable=False),
    Column("error", Json),
    Column("attempts", BigInt, nullable=False),
    Column("retry_at", BigInt),
    Column("created_at", BigInt, nullable=False),
    Column("finished_at", BigInt),
    Column("hash_type", Text),
    Column("hash_value", Text),
    Column("hash_ok", Flag),
    Column("priority", BigInt, nullable=False),
    Column("speed_limit_kib", BigInt, nullable=False),
    Column("position", BigInt, nullable=False),
    # Relative to the done folder; set when the finished file is about to be moved there.
    Column("file", Text),
    # Finished, but the follow-up work is not done yet.
    Column("unsettled", Flag, nullable=False, server_default=false()),
    # The boot id at the time the finished file was moved, until the disk has confirmed it.
    Column("unsynced", Text),
    # Headers and cookies that a client gave with the link.
    Column("request_headers", SecretJson),
    # Other addresses of the same file.
    Column("mirrors", Json),
    # Links are searched on this page, and on linked pages up to this depth; 0 means only if it is
    # a directory index, a bucket or a playlist. Null is a file.
    Column("crawl_depth", BigInt),
    # The index and the path of a file of a torrent.
    Column("torrent_file", BigInt),
    Column("torrent_path", Text),
    # Starts without a free slot and during a pause of the schedule, until it ends or is paused.
    Column("started_now", Flag, nullable=False, server_default=false()),
    # Was running when a stop of the queue was requested, so it is downloaded to its end.
    Column("before_stop", Flag, nullable=False, server_default=false()),
    Index("downloads_in_order", "package_id", "position"),
    # Covers all columns that the scheduler and the package summary read.
    Index(
        "downloads_of_package",
        "package_id",
        "status",
        "priority",
        "position",
        "host",
        "retry_at",
        "size",
        "bytes_done",
    ),
    Index("downloads_by_status", "status", "priority", "finished_at", "size", "bytes_done"),
    # B-tree indexes of PostgreSQL reject long addresses.
    postgresql_index(Index("downloads_by_url", "url"), using="hash"),
    postgresql_index(
        Index("downloads_to_retry", "retry_at", sqlite_where=text("retry_at IS NOT NULL")),
        where=text("retry_at IS NOT NULL"),
    ),
    postgresql_index(
        Index("downloads_to_check", "id", sqlite_where=text("check_wanted = 1")),
        where=text("check_wanted"),
    ),
    postgresql_index(
        Index("downloads_unsynced", "id", sqlite_where=text("unsynced IS NOT NULL")),
        where=text("unsynced IS NOT NULL"),
    ),
    postgresql_index(
        Index("downloads_lists", "package_id", sqlite_where=text(IS_LIST)),
        where=text(IS_LIST),
    ),
    postgresql_index(
        Index("downloads_unsettled", "id", sqlite_where=text("unsettled = 1")),
        where=text("unsettled"),
    ),
    postgresql_index(
        Index("downloads_started_now", "id", sqlite_where=text("started_now = 1")),
        where=text("started_now"),
    ),
)
